"""A board that shows only occupied squares plays a game against the daemon."""

import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import time
import tty

import chess
import chess.pgn

rokade, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir()
board_end, host_end = pty.openpty()
tty.setraw(host_end)
link = folder / "board"
link.symlink_to(os.ttyname(host_end))
os.close(host_end)
config = folder / "rokade.toml"
config.write_text(
    f'state_dir = "{folder}/state"\n[http]\nlisten = "127.0.0.1:0"\n'
    f'[[board]]\nname = "one"\nport = "{link}"\n'
)
daemon = subprocess.Popen(
    [rokade, "run", "--config", config], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
)


def message(kind, payload):
    length = len(payload) + 3
    return bytes([kind, length >> 7, length & 0x7F, *payload])


game = chess.Board()
squares = lambda: [int(game.piece_at(chess.square(at % 8, 7 - at // 8)) is not None) for at in range(64)]
shown, is_streaming = squares(), False


def serve(seconds):
    """Answers the host for so long."""
    global is_streaming
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([board_end], [], [], 0.05)[0]:
            continue
        try:
            heard = os.read(board_end, 256)
        except OSError:
            time.sleep(0.05)
            continue
        for command in heard:
            is_streaming |= command in (0x43, 0x44, 0x4B)
            answers = {
                0x4D: (0x93, [1, 0]),
                0x42: (0x86, shown),
                0x45: (0x91, b"PEG-7"),
                0x55: (0xA2, b"PEG-000007"),
                0x41: (0x8D, [0, 0, 0, 0, 0, 0, 0x20]),
            }
            if command in answers:
                os.write(board_end, message(*answers[command]))


def show(at, value):
    shown[at] = value
    os.write(board_end, message(0x8E, [at, value]))
    serve(0.3)


try:
    for _ in range(100):
        serve(0.1)
        if is_streaming:
            break
    assert is_streaming, "the daemon did not wake the board"
    serve(3)
    for san in "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O".split():
        move = game.parse_san(san)
        field = lambda square: (7 - chess.square_rank(square)) * 8 + chess.square_file(square)
        if game.is_capture(move):
            show(field(move.to_square), 0)
        show(field(move.from_square), 0)
        show(field(move.to_square), 1)
        if game.is_castling(move):
            show(field(chess.H1), 0)
            show(field(chess.F1), 1)
        game.push(move)
        assert shown == squares()
        serve(1.6)
    serve(2)
finally:
    daemon.terminate()
    said = daemon.communicate(timeout=15)[1].decode()
run = lambda *words: subprocess.run([rokade, *words, "--config", config], capture_output=True, text=True)
log = run("log").stdout
assert "only which squares are occupied" in log, log + said
text = run("export").stdout
(folder / "game.pgn").write_text(text)
with open(folder / "game.pgn") as file:
    read = chess.pgn.read_game(file)
assert not read.errors, read.errors
assert list(read.mainline_moves()) == game.move_stack, re.sub(r"\s+", " ", text)
