"""chess reads the PGN of a round, with its pairings, of boards that are silent and one with a result."""

import io
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

import chess.pgn

rokade, folder, pairings = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir()
config = folder / "rokade.toml"
boards = "".join(f'[[board]]\nname = "t{n}"\nport = "{folder}/none-{n}"\n' for n in range(1, 6))
config.write_text(
    f'state_dir = "{folder}/state"\n[http]\nlisten = "127.0.0.1:0"\n'
    f'[event]\npairings = "{pairings.resolve()}"\nround = 2\n{boards}'
)
daemon = subprocess.Popen(
    [rokade, "run", "--config", config], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
)


def games(path):
    text = urllib.request.urlopen(address + path, timeout=10).read().decode()
    file, found = io.StringIO(text), []
    while game := chess.pgn.read_game(file):
        assert not game.errors, game.errors
        found.append(dict(game.headers))
    return found


def run(*words):
    done = subprocess.run([rokade, *words, "--config", config], capture_output=True, text=True)
    assert done.returncode == 0, done


try:
    for line in daemon.stderr:
        if found := re.search(r"the page is at (http://\S+?)/\s", line):
            address = found[1]
            break
    time.sleep(1)
    run("order", "--board", "t2", "result", "0-1", "default")
    run("round", "next")
    time.sleep(1)
    both, third = games("/games.pgn"), games("/round/3/games.pgn")
    assert [game["Round"] for game in both] == [f"{r}.{n}" for r in (2, 3) for n in range(1, 6)]
    assert [game["Result"] for game in both] == ["*", "0-1"] + 8 * ["*"]
    assert third == both[5:] and third[0]["White"] == "Eik, Eva", third[0]
    assert (third[0]["BlackTitle"], third[0]["BlackFideId"]) == ("GM", "1400011"), third[0]
finally:
    daemon.terminate()
    daemon.wait(timeout=15)
