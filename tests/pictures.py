"""The pictures of the README, taken anew: `pictures.py ROKADE [FOLDER]`.

A daemon with pages records the games of `games/classics.pgn`, each as far as it is said below, on twenty simulated boards;
headless Chromium, by chromedriver, writes what its pages show into the folder (src/web). It needs both and
Python alone. Look at each picture before it replaces another; fewer colors make it smaller.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

PAGES = "http://127.0.0.1:18963"
DRIVER = "http://127.0.0.1:18964"
BOARDS = 20
OPERA = 4
# Who plays, two at a board, as a list of pairings has them; nobody sits at two boards.
PLAYERS = """Morphy, Paul;GM;2690;USA|Duke Karl / Count Isouard;;2130;FRA|Anderssen, Adolf;GM;2600;GER
Kieseritzky, Lionel;IM;2480;FRA|Steinitz, Wilhelm;GM;2650;AUT|Zukertort, Johannes;GM;2600;ENG
Menchik, Vera;WGM;2350;ENG|Réti, Richard;GM;2580;CZE|Nimzowitsch, Aron;GM;2620;DEN|Rubinstein, Akiba;GM;2640;POL
Capablanca, José Raúl;GM;2725;CUB|Alekhine, Alexander;GM;2690;FRA|Tartakower, Savielly;GM;2570;POL
Euwe, Machgielis;GM;2650;NED|Maróczy, Géza;GM;2620;HUN|Charousek, Rezső;IM;2500;HUN|Pillsbury, Harry;GM;2630;USA
Lasker, Emanuel;GM;2720;GER|Tarrasch, Siegbert;GM;2610;GER|Schlechter, Carl;GM;2600;AUT|Bird, Henry;FM;2440;ENG
Blackburne, Joseph;GM;2570;ENG|Chigorin, Mikhail;GM;2600;RUS|Janowski, Dawid;GM;2570;POL|Marshall, Frank;GM;2570;USA
Spielmann, Rudolf;GM;2560;AUT|Torre, Carlos;GM;2560;MEX|Bogoljubow, Efim;GM;2610;GER|Flohr, Salo;GM;2620;CZE
Keres, Paul;GM;2670;EST|Petrov, Vladimirs;IM;2520;LAT|Krogius, Ali;FM;2300;FIN|Enevoldsen, Jens;IM;2400;DEN
Johner, Hans;IM;2420;SUI|Larsen, Ingrid;WIM;2100;DEN|Gilfer, Eggert;FM;2290;ISL|Book, Eero;IM;2420;FIN
Stahlberg, Gideon;GM;2590;SWE|Stoltz, Gösta;GM;2530;SWE|Lundin, Erik;IM;2500;SWE""".replace("\n", "|").split("|")
# The name of a picture, the page, its size and scale, and a key that is pressed.
PICTURES = [
    ("demo-board", "/board/table-1?theme=light&language=en", 1280, 720, None),
    ("big-hall", "/board/table-1?theme=hall&language=en", 1280, 720, None),
    ("overlay", "/board/table-1?view=overlay&theme=light&language=en", 1280, 720, None),
    ("phone", "/board/table-1?theme=dark&language=da", 390, 844, "ArrowLeft"),
    ("all-boards", "/hall?theme=light&language=en", 1920, 1080, "Enter"),
]


def games(path):
    """The half-moves of each game."""
    for game in re.split(r"\n\n(?=\[)", path.read_text()):
        moves = re.sub(r"\{.*?\}|\d+\.+", " ", game.rsplit("]", 1)[1], flags=re.S).split()
        yield [san for san in moves if san not in ("1-0", "0-1", "1/2-1/2", "*")]


def set_up(folder):
    """The settings, the list of pairings, and a game for each board: a whole one where it is over."""
    all_games = list(games(pathlib.Path(__file__).parent / "games" / "classics.pgn"))
    boards, pairings = "", "round;board;white;white_title;white_elo;white_fed;black;black_title;black_elo;black_fed\n"
    for n in range(BOARDS):
        moves = all_games[(OPERA + n) % len(all_games)]
        n_plies = 29 if n == 0 else len(moves) if n % 6 == 5 else min(len(moves), 7 + 5 * n % 27)
        text = " ".join(san if ply % 2 else f"{ply // 2 + 1}. {san}" for ply, san in enumerate(moves[:n_plies]))
        (folder / f"{n}.pgn").write_text(f'[White "?"]\n[Black "?"]\n\n{text} *\n')
        boards += f'[[board]]\nname = "table-{n + 1}"\nport = "{folder}/b{n}"\n'
        pairings += f"3;{n + 1};{PLAYERS[2 * n]};{PLAYERS[2 * n + 1]}\n"
    (folder / "list.csv").write_text(pairings)
    (folder / "rokade.toml").write_text(
        f'state_dir = "{folder}/state"\n[http]\nlisten = "{PAGES[7:]}"\n[orders]\nenabled = false\n'
        f'[event]\nname = "Rokade Open 2026"\npairings = "list.csv"\n{boards}'
    )


def n_moves():
    """How many half-moves the first board has."""
    view = json.load(urllib.request.urlopen(f"{PAGES}/board/table-1/view.json", timeout=10))["view"]
    return len(view["moves"])


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(DRIVER + path, data, {"Content-Type": "application/json"}, method=method)
    return json.load(urllib.request.urlopen(request, timeout=60))["value"]


def take(folder):
    args = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": args}}}}
    window = f"/session/{ask('POST', '/session', wanted)['sessionId']}"
    run = lambda script: ask("POST", f"{window}/execute/sync", {"script": script, "args": []})
    for name, page, width, height, key in PICTURES:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        ask("POST", f"{window}/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": size})
        ask("POST", f"{window}/url", {"url": PAGES + page})
        time.sleep(3)
        if key == "Enter":
            run("document.querySelector('#grid .tile').click()")
        elif key:
            run(f"document.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))")
        time.sleep(1)
        (folder / f"{name}.png").write_bytes(base64.b64decode(ask("GET", f"{window}/screenshot")))
    ask("DELETE", window)


def main(rokade, to=pathlib.Path(__file__).parent.parent / "src" / "web"):
    folder = pathlib.Path(tempfile.mkdtemp())
    set_up(folder)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    start = lambda *words: subprocess.Popen([str(word) for word in words], **quiet)
    programs = [start(rokade, "run", "--config", folder / "rokade.toml"), start("chromedriver", f"--port={DRIVER[-5:]}")]
    try:
        time.sleep(3)
        for n in range(BOARDS):
            game, link = folder / f"{n}.pgn", folder / f"b{n}"
            programs.append(start(rokade, "simulate", "--link", link, "--game", game, "--speed", 5, "--seed", n))
        # Those that are played longest need not be at their end.
        while n_moves() < 29:
            time.sleep(0.2)
        take(pathlib.Path(to))
    finally:
        for program in programs:
            program.terminate()
            program.wait(timeout=15)


main(*sys.argv[1:])
