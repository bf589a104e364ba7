const { SerialPort } = require("serialport");

const port = new SerialPort({ path: process.argv[2], baudRate: 9600 });
let heard = Buffer.alloc(0);
const ask = { 0x93: 0x4d, 0x86: 0x42 };
const seen = new Set();
setTimeout(() => {
  console.error("not heard:", Object.keys(ask), heard.toString("hex"));
  process.exit(1);
}, 10000);
port.on("open", () => setInterval(() => {
  for (const [kind, command] of Object.entries(ask)) {
    if (!seen.has(Number(kind))) port.write([command]);
  }
}, 500));
port.on("data", (bytes) => {
  heard = Buffer.concat([heard, bytes]);
  while (heard.length >= 3) {
    const length = (heard[1] << 7) | heard[2];
    if (heard.length < length) return;
    seen.add(heard[0]);
    heard = heard.subarray(length);
  }
  if (Object.keys(ask).every((kind) => seen.has(Number(kind)))) process.exit(0);
});
