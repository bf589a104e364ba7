// The firmware of the bridge for a Pico, as it comes out of its Makefile, on an emulated RP2040
// (rp2040js), from power on, with USB and I2C; tests/it/clocks/pico.rs runs it. The emulator knows
// no target of I2C: what the bus brings is put where the chip keeps it.
//
// Usage: node pico.mjs bridge.uf2
//
// Orders come in on stdin, one a line:
//
//   open, close     a program opens the line, or closes it
//   host BODY       the host sends this line, its marks and sum added
//   bus HEX         a frame for the host is heard, without its address byte
//   pass MS         so much time goes by; what was said and written meanwhile is printed
import { readFileSync } from 'node:fs';
import { ConsoleLogger, LogLevel, RP2040, USBCDC } from 'rp2040js';

const FLASH = 0x10000000;
const CLOCK_HZ = 48e6;
// Where the chip's own program puts the first 256 bytes, to run them.
const BOOT = 0x20041f00;
const FIRST = 1 << 11;
const STOP_DET = 1 << 9;
// The clock's address.
const CLOCK = 0x08;

/** The bytes that a Pico's own program would write to its flash. */
const flashed = file => {
  const image = new Uint8Array(file.length / 2);
  for (let at = 0; at < file.length; at += 512) {
    const marks = [at, at + 4, at + 508].map(mark => file.readUInt32LE(mark));
    const isBlock = marks.join() === [0x0a324655, 0x9e5d5157, 0x0ab16f30].join();
    if (!isBlock) throw Error(`no block: ${marks}`);
    const address = file.readUInt32LE(at + 12);
    image.set(file.subarray(at + 32, at + 288), address - FLASH);
  }
  return image;
};

const crc = body => {
  let sum = 0;
  for (const byte of Buffer.from(body)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum & 0x80 ? 0x07 : 0)) & 0xff;
  }
  return sum.toString(16).toUpperCase().padStart(2, '0');
};

const image = flashed(readFileSync(process.argv[2]));
const chip = new RP2040();
chip.logger = new ConsoleLogger(LogLevel.Error, false);
chip.flash.set(image);
chip.sram.set(image.subarray(0, 256), BOOT - 0x20000000);
chip.core.SP = 0x20042000;
chip.core.PC = BOOT;
for (let pin = 2; pin <= 5; pin++) chip.gpio[pin].setInputValue(true);

const usb = new USBCDC(chip.usbCtrl);
let said = '';
usb.onSerialData = bytes => (said += Buffer.from(bytes).toString('latin1'));
// As Linux asks: of the interface. The line is not open before a program opens it.
const controlLines = value => {
  chip.usbCtrl.sendSetupPacket(Uint8Array.of(0x21, 0x22, value, 0, 0, 0, 0, 0));
  usb.initialized = true;
};
usb.cdcSetControlLineState = () => controlLines(0);

const [target, master] = chip.i2c;
let wire = '';
const byte = value => value.toString(16).toUpperCase().padStart(2, '0');
master.onConnect = address => {
  wire += byte(address << 1);
  master.completeConnect(address === CLOCK);
};
master.onWriteByte = value => {
  wire += byte(value);
  master.completeWrite(true);
};
master.onStop = () => {
  wire += '.';
  master.completeStop();
};

const orders = {
  open: () => controlLines(3),
  close: () => controlLines(0),
  host: body => {
    for (const value of Buffer.from(`!${body}*${crc(body)}\n`)) usb.sendSerialByte(value);
  },
  bus: hex => {
    Buffer.from(hex, 'hex').forEach((value, at) => target.rxFIFO.push(value | (at ? 0 : FIRST)));
    target.setInterrupts(STOP_DET);
  },
  pass: ms => {
    for (let cycles = 0; cycles < (Number(ms) * CLOCK_HZ) / 1000; ) {
      const spent = chip.core.executeInstruction();
      cycles += spent;
      chip.clock.tick((spent * 1e9) / CLOCK_HZ);
    }
    for (const line of said.split('\n').filter(Boolean)) console.log(line);
    if (wire) console.log(wire);
    said = wire = '';
  },
};

for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const [, word, rest] = /^(\S+) ?(.*)$/.exec(line);
  orders[word](rest);
}
