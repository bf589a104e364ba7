"""A program that knows DGT boards alone follows the demo board of a daemon: `follow.py ROKADE FOLDER`.

The daemon records a simulated board, and its demo board is read by pyserial: all positions of the game
must be seen on it, in their order, with a clock whose lever changes sides.
"""

import pathlib
import subprocess
import sys
import time

import chess
import chess.pgn

from line import Line

rokade, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir()
game = chess.pgn.Game()
node = game
for san in "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O Bg4".split():
    node = node.add_variation(node.board().parse_san(san))
(folder / "game.pgn").write_text(str(game) + "\n")
config = folder / "rokade.toml"
config.write_text(
    f'state_dir = "{folder}/state"\n[http]\nlisten = "127.0.0.1:0"\n'
    f'[[board]]\nname = "t1"\nport = "{folder}/board"\ndemo_board = "{folder}/demo"\n'
)
PIECES = " PRNBKQprnbkq"
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
board = subprocess.Popen(
    [rokade, "simulate", "--link", folder / "board", "--game", folder / "game.pgn", "--manners", "clean",
     "--speed", "10"],
    **quiet,
)
daemon = subprocess.Popen([rokade, "run", "--config", config], **quiet)
try:
    while not (folder / "demo").exists():
        time.sleep(0.1)
    line = Line(str(folder / "demo"))
    assert line.ask(0x4D, 0x93) and len(line.ask(0x45, 0x91)) == 5
    fields = list(line.ask(0x42, 0x86))
    line.send(0x4B)
    wanted = [chess.Board()]
    for move in game.mainline_moves():
        wanted.append(wanted[-1].copy())
        wanted[-1].push(move)
    wanted = [it.board_fen() for it in wanted]

    def fen():
        shown = chess.Board(None)
        for n, code in enumerate(fields):
            if code:
                # The first field is a8.
                shown.set_piece_at(chess.square_mirror(n), chess.Piece.from_symbol(PIECES[code]))
        return shown.board_fen()

    seen, levers = [fen()], set()
    for kind, payload in line.messages(150):
        if kind == 0x8E:
            fields[payload[0]] = payload[1]
            seen.append(fen())
        elif kind == 0x8D and payload[0] & 0x0F != 0x0A and payload[3] & 0x0F != 0x0A:
            levers.add(bool(payload[6] & 0x02))
        if seen[-1] == wanted[-1]:
            break
    left = iter(seen)
    assert all(position in left for position in wanted), "a position was not seen"
    assert levers == {False, True}, levers
finally:
    for program in (daemon, board):
        program.terminate()
        program.wait(timeout=15)
