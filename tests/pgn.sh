#!/usr/bin/env bash
# Whether other people's programs read every game that Rokade writes: simulated hands play GAMES games
# (500) of each kind of manners, Chess960 among them, and once without a clock; pgn-extract and chess
# of Python must read each of them to its end. Both are installed into a folder that is deleted again,
# pgn-extract from Debian unless it is there. Takes some minutes.
#
# Usage: GAMES=500 SEED=1 tests/pgn.sh
#
# CARGO is the program that builds; ROKADE a program that is built already. Ends with exit code 1 if a
# game was not read.
set -euo pipefail
export LC_ALL=C

cd "$(dirname "$0")/.."
if [ -z "${ROKADE:-}" ]; then
    ${CARGO:-cargo} build --quiet --release
    ROKADE=${CARGO_TARGET_DIR:-target}/release/rokade
fi
rokade=$(realpath "$ROKADE")
here=$(realpath tests/interop)
games=${GAMES:-500}
seed=${SEED:-1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

extract=$(command -v pgn-extract || true)
if [ -z "$extract" ]; then
    (cd "$scratch" && apt-get download -q pgn-extract >apt.log 2>&1 && dpkg-deb -x pgn-extract_*.deb x) || {
        cat "$scratch/apt.log"
        echo "pgn-extract is not there: install it, or name a Debian that has it"
        exit 1
    }
    extract=$(find "$scratch/x" -name pgn-extract -type f -perm -u+x)
fi
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q chess

has_failed=0
# read_all WHAT OPTION..: the games are played, and read by both.
read_all() {
    local what=$1 verdict=PASS n by_chess
    shift
    # Games whose record is silently wrong are counted elsewhere (tests/table.sh).
    "$rokade" simulate --games "$games" --seed "$seed" --pgn "$scratch/games.pgn" --failing "$scratch" \
        "$@" >"$scratch/played" 2>&1 || grep -q "silently wrong" "$scratch/played"
    n=$(grep -c '^\[Event ' "$scratch/games.pgn")
    "$extract" --nobadresults -r "$scratch/games.pgn" >"$scratch/extract" 2>&1 || verdict=FAIL
    grep -q "^$n games matched out of $n\.$" "$scratch/extract" || verdict=FAIL
    by_chess=$("$scratch/venv/bin/python" "$here/games.py" "$scratch/games.pgn" "$n" 2>&1) || verdict=FAIL
    printf '%-24s %5s games %s\n' "$what" "$n" "$verdict"
    [ "$verdict" = PASS ] || {
        has_failed=1
        grep -v -E '^(White - Black|Processing)' "$scratch/extract" | tail -20
        echo "$by_chess"
    }
}

for manners in clean club school blitz scramble; do
    read_all "$manners" --manners "$manners"
done
read_all "club, without a clock" --manners club --no-clock
read_all "club, occupied squares" --manners club --board reed
exit "$has_failed"
