"""A DGT line through pyserial: whole messages, by their ids (hardware/README.md, Sources)."""

import time

import serial


class Line:
    def __init__(self, path):
        self.port = serial.Serial(path, 9600, timeout=0.1, exclusive=True)
        self.rest = b""

    def send(self, *data):
        self.port.write(bytes(data))

    def messages(self, seconds):
        """Whole messages that come within so many seconds, as (id, payload)."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.rest += self.port.read(256)
            while len(self.rest) >= 3:
                length = (self.rest[1] << 7) | self.rest[2]
                assert self.rest[0] & 0x80 and length >= 3, self.rest.hex()
                if len(self.rest) < length:
                    break
                message, self.rest = self.rest[:length], self.rest[length:]
                yield message[0], message[3:]

    def ask(self, command, wanted, seconds=5):
        self.send(command)
        for kind, payload in self.messages(seconds):
            if kind == wanted:
                return payload
        raise AssertionError(f"no {wanted:#x} for {command:#x}")

    def clock(self, *data):
        self.send(0x2B, len(data) + 2, 0x03, *data, 0x00)

    def answers(self, seconds):
        """Acknowledgments of the clock, by the id of the command, and its times."""
        for kind, p in self.messages(seconds):
            if kind != 0x8D:
                continue
            if p[0] & 0x0F == 0x0A or p[3] & 0x0F == 0x0A:
                yield "ack", (p[2] & 0x7F) | ((p[3] << 2) & 0x80)
            else:
                bcd = lambda b: (b >> 4) * 10 + (b & 0x0F)
                side = lambda h, m, s: (h & 0x0F) * 3600 + bcd(m) * 60 + bcd(s)
                yield "time", (side(*p[3:6]), side(*p[0:3]), bool(p[6] & 1), bool(p[6] & 0x20))
