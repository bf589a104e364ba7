const fs = require("fs");
const { Chess } = require("chess.js");

const chess = new Chess();
chess.loadPgn(fs.readFileSync(process.argv[2], "utf8"));
if (chess.history().length !== 9) throw new Error(chess.history().join(" "));
