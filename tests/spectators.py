"""How soon every spectator has every update: `spectators.py ROKADE [SPECTATORS] [SECONDS] [SPEED] [TURNS]`.

A daemon records twenty simulated boards, a game on each in every turn, of which there are so many (3). In each, for
so many seconds (16), nobody looks; so many spectators (5000), each with a WebSocket of its own and 250 to an
address, have all that the page of a board is told from another server (`control`), a few lines that say again
what one spectator of each board hears; and as many have it from the daemon. What came first in one turn comes
last in the next, as documents grow with the games. Between the line of the log that tells a completed move, once
that is on the disk, and the view document in which it is, as each spectator of the daemon has it: the median and
the slowest of a hundred and of a thousand are printed, and how many never came; then what each of the three was
for the boards, from their bytes to the record on the disk, and for each record how long the threads of boards
and disk have computed, and waited for a processor. It needs Linux and Python alone. Spectators and
control give way to all else, as they are on other machines in a hall.
"""

import datetime
import os
import pathlib
import re
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time

BOARDS = 20
PER_ADDRESS = 250
PORT = 18961
CONTROL = 18962
KINDS = ["nobody looks", "control", "all look"]
HANDSHAKE = (
    "GET /board/t{board}/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
PONG = bytes([0x8A, 0x80, 0, 0, 0, 0])
DONE = re.compile(r'(\S+)Z\s+INFO \S+\s+completed\s.*board="t(\d+)"')
DURABLE = re.compile(r"(\S+)Z\s+TRACE .*durable_us=(\d+)")


class Spectator:
    def __init__(self, number, port=PORT):
        self.board, self.n_seen, self.rest = number % BOARDS, 0, b""
        self.socket = socket.socket()
        self.socket.bind((f"127.0.{1 + number // PER_ADDRESS}.1", 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(HANDSHAKE.format(board=self.board, port=port).encode())
        while b"\r\n\r\n" not in self.rest:
            more = self.socket.recv(65536)
            assert more, "a spectator was not let in"
            self.rest += more
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head
        self.socket.setblocking(False)

    def frames(self):
        """The whole frames that are there, as (kind, content)."""
        while len(self.rest) >= 2:
            length, start = self.rest[1] & 127, 2
            if length >= 126:
                start = 4 if length == 126 else 10
                length = int.from_bytes(self.rest[2:start], "big")
            if len(self.rest) < start + length:
                return
            frame, self.rest = self.rest[: start + length], self.rest[start + length :]
            yield frame[0] & 15, frame[start:]

    def read(self, came):
        """Notes in `came` when the newest completed move came; False once the line is cut."""
        try:
            data = self.socket.recv(262144)
        except BlockingIOError:
            return True
        except OSError:
            return False
        now = time.time()
        self.rest += data
        for kind, content in self.frames():
            if kind == 9:
                self.socket.send(PONG)
            n_done = content.count(b'"state":"completed"') if kind == 1 else 0
            if n_done > self.n_seen:
                self.n_seen = n_done
                came[self.board].setdefault(n_done, []).append(now)
        return bool(data)


def control():
    """Says again to whoever comes what it hears of his board."""
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    told = {it.socket.fileno(): it for it in map(Spectator, range(BOARDS))}
    crowd = [[] for _ in range(BOARDS)]
    door = socket.create_server(("127.0.0.1", CONTROL), backlog=4096)
    poll = select.epoll()
    for number in [door.fileno(), *told]:
        poll.register(number, select.EPOLLIN)
    print("ready", flush=True)
    while True:
        for number, _ in poll.poll():
            if number == door.fileno():
                come, _ = door.accept()
                asked = come.recv(4096)
                come.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
                come.setblocking(False)
                crowd[int(re.search(rb"/board/t(\d+)/", asked)[1])].append(come)
                continue
            spectator = told[number]
            spectator.rest += spectator.socket.recv(262144)
            for kind, content in spectator.frames():
                if kind == 9:
                    spectator.socket.send(PONG)
                if kind == 1:
                    frame = b"\x81\x7f" + len(content).to_bytes(8, "big") + content
                    crowd[spectator.board] = [it for it in crowd[spectator.board] if sent(it, frame)]


def sent(to, frame):
    try:
        return to.send(frame) == len(frame)
    except OSError:
        return False


def watch(n_spectators, seconds, port, came):
    # Elsewhere they would take nothing from the boards' cores.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    spectators = {it.socket.fileno(): it for it in (Spectator(n, port) for n in range(n_spectators))}
    poll = select.epoll()
    for number in spectators:
        poll.register(number, select.EPOLLIN)
    n_cut = 0
    # Those who have just come are told how things stand.
    span = (time.time() + 2, time.time() + 2 + seconds)
    while time.time() < span[1]:
        for number, _ in poll.poll(0.5):
            if not spectators[number].read(came):
                poll.unregister(number)
                n_cut += 1
    for spectator in spectators.values():
        spectator.socket.close()
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    time.sleep(2)
    return n_cut, span


def play(rokade, folder, n, speed):
    words = ["--link", folder / f"b{n}", "--seed", str(n + 1), "--speed", str(speed)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([rokade, "simulate", *words], **quiet)


def work(daemon):
    """What the threads of boards and disk have computed, and waited for a processor, in ms."""
    ran, waited, main = 0, 0, pathlib.Path(daemon.args[0]).name[:15]
    for task in pathlib.Path(f"/proc/{daemon.pid}/task").iterdir():
        if (task / "comm").read_text().strip() in (main, "disk", "tokio-rt-worker"):
            one = (task / "schedstat").read_text().split()
            ran, waited = ran + int(one[0]) / 1e6, waited + int(one[1]) / 1e6
    return ran, waited


def look(kind, n_spectators, seconds, came):
    """One kind of looking, for so many seconds: how many were cut, and from when to when it was."""
    if kind == "nobody looks":
        time.sleep(seconds)
        return 0, (time.time() - seconds, time.time())
    if kind == "all look":
        return watch(n_spectators, seconds, PORT, came)
    other = subprocess.Popen([sys.executable, __file__, "control"], stdout=subprocess.PIPE)
    other.stdout.readline()
    told = watch(n_spectators, seconds, CONTROL, [{} for _ in range(BOARDS)])
    other.kill()
    other.wait()
    return told


def main(rokade, n_spectators=5000, seconds=16, speed=1, n_turns=3):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    folder = pathlib.Path(tempfile.mkdtemp())
    boards = "".join(f'[[board]]\nname = "t{n}"\nport = "{folder}/b{n}"\n' for n in range(BOARDS))
    (folder / "rokade.toml").write_text(
        f'state_dir = "{folder}/state"\n[http]\nlisten = "127.0.0.1:{PORT}"\n'
        f"[orders]\nenabled = false\n{boards}"
    )
    log = open(folder / "log", "w")
    words = [rokade, "run", "--config", folder / "rokade.toml"]
    tells = {**os.environ, "ROKADE_LOG": "info,rokade::shell::publish=trace"}
    daemon = subprocess.Popen(words, stdout=log, stderr=log, env=tells)
    programs, turns, spent = [daemon], [], {kind: [0, 0] for kind in KINDS}
    try:
        time.sleep(2)
        for turn in range(n_turns):
            turns.append({"start": time.time(), "came": [{} for _ in range(BOARDS)]})
            boards = [play(rokade, folder, n, speed) for n in range(BOARDS)]
            programs += boards
            time.sleep(5)
            for kind in KINDS[turn % 3 :] + KINDS[: turn % 3]:
                before = work(daemon)
                turns[-1][kind] = look(kind, n_spectators, seconds, turns[-1]["came"])
                spent[kind] = [a + b - c for a, b, c in zip(spent[kind], work(daemon), before)]
            for board in boards:
                board.terminate()
                board.wait()
    finally:
        for program in programs:
            program.terminate()
            program.wait(timeout=15)
    report((folder / "log").read_text(), turns, spent, n_spectators // BOARDS)


def seconds_of(at):
    return datetime.datetime.fromisoformat(at + "+00:00").timestamp()


def one_in(of, values):
    return values[min(len(values) - 1, int(len(values) * of))]


def of_boards(told, spans):
    """What half and 99 of 100 records have taken within these spans of time, in ms, and their number."""
    took = sorted(ms for at, ms in told if any(start < at < end for start, end in spans))
    return one_in(0.5, took), one_in(0.99, took), len(took)


def report(log, turns, spent, n_watching):
    done = [(seconds_of(at), int(board)) for at, board in DONE.findall(log)]
    waits, n_moves, n_missed = [], 0, 0
    for turn in turns:
        counts, (_, span), came = [0] * BOARDS, turn["all look"], turn["came"]
        for at, board in done:
            counts[board] += at > turn["start"]
            # What comes after the end is nobody's fault.
            if not span[0] < at < span[1] - 5:
                continue
            n_moves += 1
            arrivals = came[board].get(counts[board], [])
            waits += [arrival - at for arrival in arrivals]
            # Who gets a later document without this one was skipped.
            n_missed += n_watching - len(arrivals)
    waits.sort()
    n_cut = sum(turn["all look"][0] for turn in turns)
    told = ", ".join(f"{p:g} of them within {1000 * one_in(p, waits):.0f} ms" for p in (0.5, 0.99, 0.999))
    print(f"{n_moves} moves, {len(waits)} deliveries: {told}")
    print(f"{n_missed} skipped, {n_cut} cut; load of the machine {os.getloadavg()[0]:.1f}")
    durable = [(seconds_of(at), int(us) / 1000) for at, us in DURABLE.findall(log)]
    first = None
    for kind in KINDS:
        spans = [turn[kind][1] for turn in turns]
        half, most, n = of_boards(durable, spans)
        each = ", ".join(f"{of_boards(durable, [span])[1]:.2f}" for span in spans)
        first = first or most
        print(f"to the disk, {kind}: {n} records, half {half:.2f} ms, 99 of 100 {most:.2f} ms "
              f"({most / first - 1:+.0%}); turn by turn {each}")
        ran, waited = (ms / n for ms in spent[kind])
        print(f"    for each record {ran:.2f} ms computed, {waited:.2f} ms waited for a processor")


if sys.argv[1] == "control":
    control()
main(sys.argv[1], *map(int, sys.argv[2:]))
