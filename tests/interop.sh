#!/usr/bin/env bash
# Other people's programs beside ours: what the registries have that opens a serial line, speaks with
# a DGT board or reads PGN is installed into a folder that is deleted again, and run against `rokade
# simulate` and `rokade run`. Takes under two minutes; what a registry does not have, or where there
# is none, is skipped with a word.
#
# Usage: tests/interop.sh
#
# CARGO is the program that builds; ROKADE a program that is built already. PEERS is a folder with
# Python packages that no registry has, such as a checkout of python-asyncdgt; PYTHON is a Python from
# 3.12 on, where that has another name. Ends with exit code 1 if anything failed.
set -uo pipefail
export LC_ALL=C

cd "$(dirname "$0")/.."
if [ -z "${ROKADE:-}" ]; then
    ${CARGO:-cargo} build --quiet --release || exit 1
    ROKADE=${CARGO_TARGET_DIR:-target}/release/rokade
fi
rokade=$(realpath "$ROKADE")
here=$(realpath tests/interop)
scratch=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$scratch"' EXIT
has_failed=0

# check WHAT COMMAND..: a line, and whether it holds. What failed is shown.
check() {
    local what=$1 verdict=PASS
    shift
    timeout 40 "$@" >"$scratch/said" 2>&1 || verdict=FAIL
    printf '%-66s %s\n' "$what" "$verdict"
    [ "$verdict" = PASS ] || {
        has_failed=1
        sed 's/^/    /' "$scratch/said"
    }
}

skip() { printf '%-66s skipped: %s\n' "$1" "$2"; }

# simulate NAME OPTION..: a simulated board at $scratch/NAME.
simulate() {
    local name=$1
    shift
    "$rokade" simulate --link "$scratch/$name" "$@" >"$scratch/$name.log" 2>&1 &
    pids+=($!)
    for _ in $(seq 50); do
        [ -e "$scratch/$name" ] && return
        sleep 0.1
    done
}

python=
if command -v python3 >/dev/null && python3 -m venv "$scratch/venv" 2>/dev/null; then
    if timeout 40 "$scratch/venv/bin/pip" install -q pyserial chess >/dev/null 2>&1; then
        python=$scratch/venv/bin/python
    fi
fi
if [ -z "$python" ]; then
    skip "Python's packages" "no Python, or no registry that has them"
else
    simulate a
    check "pyserial opens the line and hears version, board and clock" \
        "$python" "$here/board.py" "$scratch/a"
    simulate b --no-clock
    check "pyserial hears that no clock is there" "$python" "$here/board.py" "$scratch/b" no-clock
    simulate c
    check "a host sets the clock, reads it back and stops it" \
        "$python" "$here/clock.py" "$scratch/c"
    check "a board that shows only occupied squares is recorded; chess reads the PGN" \
        "$python" "$here/occupied.py" "$rokade" "$scratch/d"
    check "chess reads the PGN of a round with its pairings" \
        "$python" "$here/round.py" "$rokade" "$scratch/r" "$here/../pairings/swiss.trf"
    check "pyserial follows the demo board of a daemon, with every position and the clock" \
        "$python" "$here/follow.py" "$rokade" "$scratch/w"
    # It wants a newer Python than Debian's.
    for newer in ${PYTHON:-python3 python3.13 python3.12}; do
        "$newer" -m venv "$scratch/newer" 2>/dev/null &&
            timeout 60 "$scratch/newer/bin/pip" install -q livechess >/dev/null 2>&1 && break
        rm -rf "$scratch/newer"
    done
    if [ -d "$scratch/newer" ]; then
        check "livechess of PyPI, a monitor for operators, follows a game and finds no fault" \
            "$scratch/newer/bin/python" "$here/monitor.py" "$rokade" "$scratch/m"
    else
        skip "livechess of PyPI" "no Python from 3.12 on, or no registry that has it"
    fi
    if timeout 30 "$scratch/venv/bin/pip" install -q asyncdgt >/dev/null 2>&1 ||
        PYTHONPATH=${PEERS:-} "$python" -c "import asyncdgt" 2>/dev/null; then
        simulate e
        check "asyncdgt: version, board, clock set and read" \
            env PYTHONPATH="${PEERS:-}" "$python" "$here/with_asyncdgt.py" "$scratch/e"
    else
        skip "asyncdgt" "the registry does not have it; PEERS can name a folder that does"
    fi
fi

npm=
if command -v npm >/dev/null && command -v node >/dev/null; then
    timeout 60 npm install --silent --no-audit --no-fund --prefix "$scratch/npm" \
        serialport chess.js >/dev/null 2>&1 && npm=$scratch/npm/node_modules
fi
if [ -z "$npm" ]; then
    skip "npm's packages" "no npm, or no registry that has them"
else
    simulate f
    check "serialport of npm opens the line and hears version and board" \
        env NODE_PATH="$npm" node "$here/board.js" "$scratch/f"
    if [ -s "$scratch/d/game.pgn" ]; then
        check "chess.js reads the PGN" \
            env NODE_PATH="$npm" node "$here/pgn.js" "$scratch/d/game.pgn"
    else
        skip "chess.js" "no PGN was recorded"
    fi
fi
exit "$has_failed"
