"""Drives the emulated Pi of tests/pi.sh: installs, plugs, answers the page, pulls the cable and cuts the
power while a game is played, and prints what became of the record as a table. Or has four boards played
at, and counts the daemon's instructions.

Usage: drive.py FOLDER PI_BOARD UNPLUGS CUTS SEED
       drive.py FOLDER cost SECONDS
"""

import base64
import json
import os
import queue
import random
import re
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

KERNEL, INITRD, CARD, STICK = "vmlinuz", "initrd", "run/card.img", "run/stick.img"
NAME = "rokade-pi.local"
# So long may anything take on a machine that does other things too.
PATIENCE_S = 600
# A game has so many half-moves.
N_PLIES = 24
# A board that is read again is taken over as it stands once it has rested for ten seconds.
TAKEN_OVER_S = 20
# So often the power is cut while the system is read-only.
N_CUTS_READ_ONLY = 3
# The line of the book's page on years of use.
MOUNTED = (
    "LABEL=ROKADE-DATA /var/lib/rokade ext4"
    " noatime,commit=5,errors=remount-ro,nofail,x-systemd.device-timeout=90s 0 2"
)
# From a card to a recorded move.
STEPS_MAX_S = 600


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def soon(what, holds, every=0.25, within=PATIENCE_S):
    """What `holds` gives as soon as it is something."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        time.sleep(every)
    sys.exit(f"pi: not within {within} s: {what}")


def told(what):
    print(f"pi: {what}", file=sys.stderr, flush=True)


class Guest:
    """The emulated machine, from power on to power off."""

    def __init__(self, folder, pace=("-accel", "tcg,thread=multi", "-smp", "2")):
        self.folder, self.pace = folder, pace
        self.setup, self.pages = free_port(), free_port()
        self.qemu = self.agent = None
        self.is_read_only = False

    def path(self, name):
        return os.path.join(self.folder, name)

    def switch_on(self):
        self.since = time.monotonic()
        line = lambda name: f"socket,id={name},path={self.path('run/' + name)},server=on,wait=off"
        forward = f"hostfwd=tcp:127.0.0.1:{self.setup}-:80,hostfwd=tcp:127.0.0.1:{self.pages}-:8960"
        self.qemu = subprocess.Popen(
            ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-m", "512", *self.pace]
            + ["-display", "none", "-no-reboot", "-monitor", "none"]
            + ["-serial", f"file:{self.path('run/console')}"]
            + ["-kernel", self.path(KERNEL), "-initrd", self.path(INITRD)]
            + ["-append", "console=ttyAMA0 quiet panic=-1" + " boot=overlay" * self.is_read_only]
            + ["-drive", f"file={self.path(CARD)},if=virtio,format=raw"]
            + ["-drive", f"file={self.path(STICK)},if=virtio,format=raw"]
            + ["-netdev", f"user,id=net,{forward}", "-device", "virtio-net-pci,netdev=net,romfile="]
            + ["-device", "virtio-serial-pci", "-chardev", line("agent")]
            + ["-device", "virtserialport,chardev=agent,name=tester", "-device", "qemu-xhci"]
            + ["-chardev", line("board"), "-device", "usb-serial,chardev=board,serial=DGT12345"],
            stdin=subprocess.DEVNULL,
        )
        self.agent = None
        connection = socket.socket(socket.AF_UNIX)
        soon("the emulator starts", lambda: not connection.connect_ex(self.path("run/agent")))
        connection.settimeout(PATIENCE_S)
        self.agent = connection.makefile("rwb")
        while self.agent.readline().strip() != b"here":
            if self.qemu.poll() is not None:
                sys.exit("pi: the emulator ended while the guest started")

    def cut_power(self):
        self.qemu.kill()
        self.qemu.wait()

    def sh(self, command):
        """Exit code and output of a command there."""
        self.agent.write(command.encode() + b"\n")
        self.agent.flush()
        said = []
        while True:
            line = self.agent.readline().decode(errors="replace").rstrip("\r\n")
            if line.startswith("code "):
                return int(line[5:]), "\n".join(said).strip()
            said.append(line)

    def must(self, command):
        code, said = self.sh(command)
        if code:
            sys.exit(f"pi: {command}: {said}")
        return said

    def get(self, port, path, form=None):
        data = urllib.parse.urlencode(form).encode() if form else None
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, {"Host": NAME})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def health(self):
        """What the daemon says of its board; nothing if it does not answer."""
        try:
            return json.loads(self.get(self.pages, "/healthz"))["boards"][0]
        except (ValueError, LookupError):
            return None

    def is_live(self):
        health = self.health()
        return health if health and health["link"] == "live" else None

    def n_moves(self):
        try:
            return len(json.loads(self.get(self.pages, "/board/table-1/view.json"))["view"]["moves"])
        except (ValueError, LookupError):
            return 0


class Board:
    """The board, its cable and its hands: tests/pi/board.rs."""

    def __init__(self, program, guest, *game):
        self.program = subprocess.Popen(
            [program, guest.path("run/board"), *map(str, game)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )
        self.lines, self.played, self.is_over = queue.Queue(), [], False
        self.heard_at = time.monotonic()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.program.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "ply":
                self.played.append(rest.split(" ")[1])
            elif word == "over":
                self.is_over = True
            else:
                self.lines.put(line.strip())

    def do(self, order):
        """What is said until the order is done."""
        self.program.stdin.write(order + "\n")
        said = []
        if order == "heard":
            self.heard_at = time.monotonic()
        while not said or not said[-1].startswith("done "):
            said.append(self.lines.get(timeout=PATIENCE_S))
        return said[:-1]

    def rest(self):
        """Waits until what stands since the board was read again has been taken over."""
        time.sleep(max(0, self.heard_at + TAKEN_OVER_S - time.monotonic()))

    def put_away(self):
        self.do("unplug")
        self.program.kill()
        self.program.wait()


def install(guest, play, steps):
    """From a card to the first move on record; how long each step took is in `steps`."""

    def step(what, since):
        steps.append((what, time.monotonic() - since))
        told(f"{what}: {steps[-1][1]:.0f} s")
        return time.monotonic()

    at = time.monotonic()
    guest.switch_on()
    at = step("1. the card is in, power on: a prompt", at)
    guest.must("apt-get install -y -q --no-install-recommends /boot/firmware/rokade.deb")
    at = step("2. the package is installed", at)
    board = play()
    board.do("plug")
    soon("the board is plugged in", lambda: guest.sh("ls /dev/rokade/by-path-*")[0] == 0)
    at = step("3. the board is plugged in: its link is there", at)
    code = guest.must("cat /etc/rokade/setup.code").strip()
    soon("the page asks", lambda: "Set up Rokade" in guest.get(guest.setup, "/"))
    form = {"code": code, "name": "table-1", "time_control": "90m+30s", "page": "network"}
    form |= {"white": "Morphy, Paul", "black": "Anderssen, Adolf"}
    answer = guest.get(guest.setup, "/", form)
    if "Rokade is set up" not in answer:
        sys.exit(f"pi: the page refuses the answers: {answer}")
    soon("the board is read", guest.is_live)
    at = step("4. the page is answered, the players named: the board is read", at)
    board.do("play")
    soon("a first move is on record", lambda: board.played and guest.n_moves())
    step("5. play: the first move is on the page", at)
    return board


def pull_cable(guest, board, n, chance):
    """Pulls the cable so often; how long the daemon takes to read the board again."""
    took = []
    for _ in range(n):
        if board.is_over:
            break
        time.sleep(chance.uniform(0.5, 6))
        opened = (guest.health() or {}).get("opened", 0)
        board.do("unplug")
        time.sleep(chance.uniform(0.2, 4))
        board.do("plug")
        since = time.monotonic()

        def is_back():
            health = guest.is_live()
            return health and health["opened"] > opened

        soon("the board is read again", is_back)
        took.append(time.monotonic() - since)
        board.do("heard")
    return took


def cut_power(guest, board, n, chance):
    """Cuts the power so often; minutes until the board is read again, and lines that were lost."""
    took, lost = [], []
    for number in range(n):
        if board.is_over:
            break
        # Half of the cuts come as soon as something has been recorded.
        noted = guest.health()["head"]
        if chance.random() < 0.5:
            soon("something is recorded", lambda: (guest.health() or {}).get("head") != noted, 0.05)
        else:
            time.sleep(chance.uniform(0, 10))
        guest.must(f"date -s '{chance.choice(['10 years', '10 years ago'])}'")
        noted = guest.health()["head"]
        guest.cut_power()
        board.do("unplug")
        guest.switch_on()
        # It has been plugged in all the time; the emulator has to be told.
        board.do("plug")
        soon("the board is read again", guest.is_live)
        board.do("heard")
        took.append(time.monotonic() - guest.since)
        told(f"cut {number + 1}: read again after {took[-1]:.0f} s")
        code, said = guest.sh(f"rokade verify --noted {noted}")
        if code:
            lost.append(f"cut {number + 1}: {noted}: {said}")
    return took, lost


def make_read_only(guest):
    """What the book's page on years of use says, and that it holds: what is changed is gone after a start."""
    guest.must("systemctl stop rokade && rm -rf /var/lib/rokade/table-1")
    guest.must(f"echo '{MOUNTED}' >>/etc/fstab && sync")
    guest.cut_power()
    guest.is_read_only = True
    for _ in range(2):
        guest.switch_on()
        guest.must('test "$(findmnt -n -o FSTYPE /)" = overlay')
        mounted = lambda: guest.sh("findmnt -n -o FSTYPE /var/lib/rokade")[1] == "ext4"
        soon("the stick for the records is mounted", mounted)
        guest.must("test ! -e /etc/changed && touch /etc/changed")
        guest.cut_power()
    guest.switch_on()
    told("the system is read-only")


def judge(guest, board, folder):
    """What the record makes of the game, in the words of tests/pi/board.rs, and what does not hold."""
    faults = []
    code, said = guest.sh("rokade verify")
    if code:
        faults.append(f"rokade verify: {said}")
    os.makedirs(folder)
    for path in guest.must("ls /var/lib/rokade/table-1/*.journal").split():
        with open(os.path.join(folder, os.path.basename(path)), "wb") as copy:
            copy.write(base64.b64decode(guest.must(f"base64 {path}")))
    said = board.do(f"judge {folder}")[-1]
    account = dict(re.findall(r"([\w-]+)=(\w+)", said))
    pgn = re.sub(r"\{[^}]*\}|^\[.*\]$", "", guest.must("rokade export"), flags=re.M)
    sans = [word for word in pgn.split() if not re.match(r"\d+\.|1-0|0-1|1/2|\*|\(|\)", word)]
    account["pgn"] = sum(a == b for a, b in zip(sans, board.played)) if account["unknown"] == "0" else "-"
    for bad in ("invented", "missing", "accused"):
        if account[bad] != "0":
            faults.append(f"{bad}: {account[bad]}")
    for bad in ("nothing", "end_false"):
        if account[bad] != "false":
            faults.append(f"{bad}: {said}")
    if account["unknown"] == "0" and sans != board.played:
        faults.append(f"PGN: {' '.join(sans)}; played: {' '.join(board.played)}")
    return account, faults


class Toll:
    """What all games together come to."""

    def __init__(self):
        self.backs, self.starts, self.lost, self.faults = [], [], [], []
        self.sums = dict.fromkeys(["half-moves", "invented", "marked", "missing", "unknown", "gaps", "accused"], 0)
        self.n_games = self.n_compared = self.n_same = 0

    def add(self, account, faults):
        self.n_games += 1
        self.faults += [f"game {self.n_games}: {fault}" for fault in faults]
        for key in self.sums:
            self.sums[key] += int(account[key])
        if account["pgn"] != "-":
            self.n_compared += int(account["half-moves"])
            self.n_same += account["pgn"]

    def table(self, steps):
        whole = sum(seconds for _, seconds in steps)
        rows = [(what, f"{seconds:.0f} s") for what, seconds in steps]
        rows.append(("steps, and minutes from power on to the first move on record", f"5, {whole / 60:.1f}"))
        spread = lambda times: f"{statistics.median(times):.1f} s, {max(times):.1f} s" if times else "-"
        sums = self.sums
        rows += [
            ("games; half-moves played", f"{self.n_games}; {sums['half-moves']}"),
            ("the cable out and in again", len(self.backs)),
            ("plugged in until the board is read: median, longest", spread(self.backs)),
            ("power cuts, each with a step of ten years before it", len(self.starts)),
            ("of these on a system that is read-only", N_CUTS_READ_ONLY),
            ("power on until the board is read: median, longest", spread(self.starts)),
            ("cuts that lost what had been shown", len(self.lost)),
            ("half-moves missing without a word", sums["missing"]),
            ("half-moves invented; marked as uncertain", f"{sums['invented']}; {sums['marked']}"),
            ("half-moves in stretches said to be unknown", f"{sums['unknown']} in {sums['gaps']}"),
            ("PGN as played, of games without such a stretch", f"{self.n_same} of {self.n_compared}"),
            ("players named for nothing", sums["accused"]),
        ]
        return "\n".join(f"| {what} | {figure} |" for what, figure in rows)


def main():
    folder, program = sys.argv[1:3]
    n_unplugs, n_cuts, seed = map(int, sys.argv[3:6])
    guest, chance, toll, steps = Guest(folder), random.Random(seed), Toll(), []

    def play():
        # A start of the machine is long; at the usual pace most of a game would be played meanwhile.
        think_s = 4 if len(toll.backs) < n_unplugs else 20
        return Board(program, guest, seed + toll.n_games, N_PLIES, "club", think_s)

    def next_game():
        guest.must("systemctl stop rokade && rm -rf /var/lib/rokade/table-1")
        board = play()
        board.do("plug")
        guest.must("systemctl start rokade")
        soon("the board is read", guest.is_live)
        board.do("play")
        return board

    try:
        board = install(guest, play, steps)
        while True:
            if left := n_unplugs - len(toll.backs):
                toll.backs += pull_cable(guest, board, left, chance)
            elif left := n_cuts - len(toll.starts):
                starts, lost = cut_power(guest, board, left, chance)
                toll.starts += starts
                toll.lost += lost
            soon("the game is over", lambda: board.is_over, within=3600)
            board.rest()
            toll.add(*judge(guest, board, os.path.join(folder, f"run/game-{toll.n_games}")))
            board.put_away()
            told(f"game {toll.n_games} is over: {toll.sums} {toll.faults}")
            if guest.is_read_only:
                break
            if len(toll.backs) >= n_unplugs and len(toll.starts) >= n_cuts:
                make_read_only(guest)
                n_cuts = len(toll.starts) + N_CUTS_READ_ONLY
            board = next_game()
    finally:
        if guest.qemu:
            guest.cut_power()
    print(toll.table(steps))
    if sum(seconds for _, seconds in steps) > STEPS_MAX_S:
        toll.faults.append(f"no move is on record within {STEPS_MAX_S} s")
    for fault in toll.faults + toll.lost:
        print(f"pi: {fault}")
    sys.exit(bool(toll.faults or toll.lost))


# /proc/PID/schedstat has how long a thread has had a processor, in nanoseconds.
SPENT = "cat /proc/$(cat /run/four/daemon)/task/*/schedstat | awk '{ n += $1 } END { print n }'"
SHOWN = """for n in 1 2 3 4; do rokade log --json --config /run/four/four.toml --board table-$n
    done | grep -c move_completed || true""".replace("\n", ";")


def cost(folder, seconds):
    """Instructions a second of a daemon with four boards: the emulator's time is counted in them."""
    guest = Guest(folder, ("-icount", "shift=0,sleep=off", "-smp", "1"))
    guest.switch_on()
    try:
        guest.must("four-boards")
        guest.must("sleep 15")
        before, n_before = int(guest.must(SPENT)), int(guest.must(SHOWN))
        guest.must(f"sleep {seconds}")
        spent, n = int(guest.must(SPENT)) - before, int(guest.must(SHOWN)) - n_before
    finally:
        guest.cut_power()
    a_second = spent / seconds / 1e6
    print(f"| four boards at blitz, instructions of the daemon a second | {a_second:.1f} million |")
    print(f"| half-moves on record meanwhile, in {seconds} s | {n} |")
    # A Cortex-A53 takes less than two cycles for an instruction, on the average of ordinary programs.
    share = 2 * a_second / 1000 * 100
    print(f"| of a core of a Zero 2, 1 GHz, at two cycles an instruction | {share:.2f} % |")
    sys.exit(share >= 5 or n == 0)


if __name__ == "__main__":
    if sys.argv[2] == "cost":
        cost(sys.argv[1], int(sys.argv[3]))
    main()
