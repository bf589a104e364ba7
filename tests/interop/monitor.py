"""A monitor for operators of LiveChess follows a game at ours, and finds none of the faults that it looks for."""

import pathlib
import socket
import subprocess
import sys
import time

from livechess.local import EventType, LiveChessLocal

rokade, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir()
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
(folder / "list.csv").write_text("round;board;white;black\n1;1;Eik, Eva;Bo\n1;2;Cid;Dan\n")
boards = "".join(f'[[board]]\nname = "t{n}"\nport = "{folder}/b{n}"\n' for n in (1, 2))
(folder / "rokade.toml").write_text(
    f'state_dir = "{folder}/state"\n[http]\nenabled = false\n[orders]\nenabled = false\n'
    f'[livechess]\nenabled = true\nlisten = "{port}"\n[event]\nname = "Open"\npairings = "list.csv"\n{boards}'
)
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
programs = [
    subprocess.Popen([rokade, *words], **quiet)
    for words in (
        ["run", "--config", folder / "rokade.toml"],
        ["simulate", "--link", folder / "b1", "--speed", "5"],
    )
]
monitor, faults, game = LiveChessLocal("127.0.0.1", port), set(), None
try:
    end = time.time() + 35
    while time.time() < end and (game is None or game.result is None):
        time.sleep(0.3)
        try:
            event = monitor.tournaments()[0]
        except OSError:
            continue
        # While a hand castles, three squares are otherwise than in the game.
        faults |= {it.type for it in monitor.events(event.uuid)} - {EventType.error_reconstructing_game}
        pairing = monitor.round(event.uuid, 0).pairings[0]
        game = monitor.game(pairing.uuid)
    assert faults <= {EventType.clock_paused, EventType.game_finished}, faults
    assert (pairing.white.name, pairing.black.name) == ("Eva Eik", "Bo"), pairing
    assert len(game.moves) == 33 and game.last_move == "17. Rd8#", game
    first, second = monitor.eboards()
    assert (first.state, second.state) == ("ACTIVE", "INACTIVE"), (first, second)
finally:
    for program in programs:
        program.terminate()
        program.wait(timeout=15)
