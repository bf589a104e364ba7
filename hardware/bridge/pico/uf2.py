#!/usr/bin/env python3
"""Makes of the firmware's bytes a file that a Pico takes when it is copied to it.

Usage: uf2.py FIRMWARE.bin BRIDGE.uf2

The first 252 bytes get their sum behind them (RP2040 data sheet, 2.8.1.3.1), without which the chip
does not start. The file is cut into blocks of 256 bytes, each with its address and marks (UF2).
"""

import struct
import sys

FLASH = 0x10000000
RP2040 = 0xE48BFF56


def crc(data):
    """CRC-32, polynomial 04c11db7, start ffffffff, not reflected."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value & 1 << 31 else 0)) & 0xFFFFFFFF
    return value


def main(source, target):
    with open(source, "rb") as file:
        image = file.read()
    image = image[:252] + struct.pack("<I", crc(image[:252])) + image[256:]
    image += bytes(-len(image) % 256)
    total = len(image) // 256
    with open(target, "wb") as file:
        for number in range(total):
            at = 256 * number
            head = (0x0A324655, 0x9E5D5157, 0x2000, FLASH + at, 256, number, total, RP2040)
            block = struct.pack("<8I", *head) + image[at : at + 256]
            file.write(block.ljust(508, b"\0") + struct.pack("<I", 0x0AB16F30))


main(*sys.argv[1:])
