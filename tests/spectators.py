"""How soon every spectator has every update: `spectators.py ROKADE [SPECTATORS] [SECONDS] [SPEED]`.

A daemon records twenty simulated boards for so many seconds (60) while nobody looks. Then so many spectators
(5000), each with a WebSocket of its own and 250 to an address, watch one board each for as long. Between the
line of the log that tells a completed move, once that is on the disk, and the view document in which it is, as
each spectator has it: the median and the slowest of a hundred and of a thousand are printed, and how many
never came; then what both halves were for the boards, from their bytes to the record on the disk. It needs
Linux and Python alone. The spectators give way to all else, as they are on other machines in a hall.
"""

import datetime
import os
import pathlib
import re
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time

BOARDS = 20
PER_ADDRESS = 250
PORT = 18961
HANDSHAKE = (
    "GET /board/t{board}/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
PONG = bytes([0x8A, 0x80, 0, 0, 0, 0])
DONE = re.compile(r'(\S+)Z\s+INFO \S+\s+completed\s.*board="t(\d+)"')
DURABLE = re.compile(r"(\S+)Z\s+TRACE .*durable_us=(\d+)")


class Spectator:
    def __init__(self, number):
        self.board, self.n_seen, self.rest = number % BOARDS, 0, b""
        self.socket = socket.socket()
        self.socket.bind((f"127.0.{1 + number // PER_ADDRESS}.1", 0))
        self.socket.connect(("127.0.0.1", PORT))
        self.socket.sendall(HANDSHAKE.format(board=self.board, port=PORT).encode())
        while b"\r\n\r\n" not in self.rest:
            more = self.socket.recv(65536)
            assert more, "a spectator was not let in"
            self.rest += more
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head
        self.socket.setblocking(False)

    def frames(self):
        """The whole frames that are there, as (kind, content)."""
        while len(self.rest) >= 2:
            length, start = self.rest[1] & 127, 2
            if length >= 126:
                start = 4 if length == 126 else 10
                length = int.from_bytes(self.rest[2:start], "big")
            if len(self.rest) < start + length:
                return
            frame, self.rest = self.rest[: start + length], self.rest[start + length :]
            yield frame[0] & 15, frame[start:]

    def read(self, came):
        """Notes in `came` when the newest completed move came; False once the line is cut."""
        try:
            data = self.socket.recv(262144)
        except BlockingIOError:
            return True
        except OSError:
            return False
        now = time.time()
        self.rest += data
        for kind, content in self.frames():
            if kind == 9:
                self.socket.send(PONG)
            n_done = content.count(b'"state":"completed"') if kind == 1 else 0
            if n_done > self.n_seen:
                self.n_seen = n_done
                came[self.board].setdefault(n_done, []).append(now)
        return bool(data)


def main(rokade, n_spectators=5000, seconds=60, speed=1):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    folder = pathlib.Path(tempfile.mkdtemp())
    boards = "".join(f'[[board]]\nname = "t{n}"\nport = "{folder}/b{n}"\n' for n in range(BOARDS))
    (folder / "rokade.toml").write_text(
        f'state_dir = "{folder}/state"\n[http]\nlisten = "127.0.0.1:{PORT}"\n'
        f"[orders]\nenabled = false\n{boards}"
    )
    log = open(folder / "log", "w")
    words = [rokade, "run", "--config", folder / "rokade.toml"]
    tells = {**os.environ, "ROKADE_LOG": "info,rokade::shell::publish=trace"}
    daemon = subprocess.Popen(words, stdout=log, stderr=log, env=tells)
    programs = [daemon]
    try:
        time.sleep(2)
        for n in range(BOARDS):
            words = ["--link", folder / f"b{n}", "--seed", str(n + 1), "--speed", str(speed)]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            programs.append(subprocess.Popen([rokade, "simulate", *words], **quiet))
        time.sleep(5)
        alone = (time.time(), time.time() + seconds)
        time.sleep(seconds)
        # Elsewhere they would take nothing from the boards' cores.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        spectators = {it.socket.fileno(): it for it in map(Spectator, range(n_spectators))}
        came, n_cut = [{} for _ in range(BOARDS)], 0
        poll = select.epoll()
        for number in spectators:
            poll.register(number, select.EPOLLIN)
        # Those who have just come are told how things stand.
        watched = (time.time() + 2, time.time() + 2 + seconds)
        while time.time() < watched[1]:
            for number, _ in poll.poll(0.5):
                if not spectators[number].read(came):
                    poll.unregister(number)
                    n_cut += 1
    finally:
        for program in programs:
            program.terminate()
            program.wait(timeout=15)
    log = (folder / "log").read_text()
    report(log, came, n_spectators // BOARDS, n_cut, watched)
    before, beside = of_boards(log, alone), of_boards(log, watched)
    print(f"to the disk, 99 of 100: nobody looks {before:.2f} ms, all look {beside:.2f} ms, {beside / before - 1:+.0%}")


def seconds_of(at):
    return datetime.datetime.fromisoformat(at + "+00:00").timestamp()


def one_in(of, values):
    return values[min(len(values) - 1, int(len(values) * of))]


def of_boards(log, span):
    """What 99 of 100 records have taken within that span of time, in ms."""
    told = DURABLE.findall(log)
    return one_in(0.99, sorted(int(us) / 1000 for at, us in told if span[0] < seconds_of(at) < span[1]))


def report(log, came, n_watching, n_cut, span):
    counts, waits, n_moves, n_missed = [0] * BOARDS, [], 0, 0
    for at, board in DONE.findall(log):
        at, board = seconds_of(at), int(board)
        counts[board] += 1
        # What comes after the end is nobody's fault.
        if not span[0] < at < span[1] - 5:
            continue
        n_moves += 1
        arrivals = came[board].get(counts[board], [])
        waits += [arrival - at for arrival in arrivals]
        # Who gets a later document without this one was skipped.
        n_missed += n_watching - len(arrivals)
    waits.sort()
    told = ", ".join(f"{p:g} of them within {1000 * one_in(p, waits):.0f} ms" for p in (0.5, 0.99, 0.999))
    print(f"{n_moves} moves, {len(waits)} deliveries: {told}")
    print(f"{n_missed} skipped, {n_cut} cut; load of the machine {os.getloadavg()[0]:.1f}")


main(sys.argv[1], *map(int, sys.argv[2:]))
