import sys

import chess
from line import Line

CODES = ".PRNBKQprnbkq"

line = Line(sys.argv[1])
assert line.ask(0x4D, 0x93)[0] >= 1, "version"
dump = line.ask(0x42, 0x86)
ranks = ["".join(CODES[code] for code in dump[at : at + 8]) for at in range(0, 64, 8)]
board = chess.Board(None)
for at, code in enumerate(dump):
    if code:
        board.set_piece_at(chess.square(at % 8, 7 - at // 8), chess.Piece.from_symbol(CODES[code]))
assert board.board_fen() == chess.STARTING_BOARD_FEN, ranks
line.send(0x4B)
seen = [what for what in line.answers(2) if what[0] == "time"]
is_absent = [what[1][3] for what in seen]
assert seen and all(absent == ("no-clock" in sys.argv) for absent in is_absent), seen
