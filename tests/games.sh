#!/usr/bin/env bash
# How often the record is exact, beside what plain rules of the still board make of the same games:
# games by simulated hands on each kind of table, and the traces of folders.
#
# Usage: tests/games.sh [FOLDER..]
#
# Each FOLDER holds traces, NAME.trace.jsonl, and beside them what was played, NAME.truth.json, whose
# moves are the values of "uci". GAMES is how many games each kind of hands plays, 100 unless given,
# SEED the first of their seeds, PGN a file whose games are played instead of invented ones, and CARGO
# the program that builds.
set -euo pipefail
export LC_ALL=C

folders=()
for given in "$@"; do
    folders+=("$(realpath "$given")")
done
pgn=${PGN:+$(realpath "$PGN")}
cd "$(dirname "$0")/.."
${CARGO:-cargo} build --quiet --release
rokade=${CARGO_TARGET_DIR:-target}/release/rokade
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What the games of simulated hands come to, on each kind of table.
hands() {
    local table options
    options=(--games "${GAMES:-100}" --seed "${SEED:-1}" --compare --failing "$scratch")
    [ -z "$pgn" ] || options+=(--game "$pgn")
    for table in "--board dgt" "--board dgt --no-clock" "--board color" "--board reed"; do
        # It fails where a game is silently wrong, and names it; the others count all the same.
        # shellcheck disable=SC2086 # options are to be split
        "$rokade" simulate "${options[@]}" $table 2>/dev/null || true
        echo
    done
}

# The moves in a text, one a line.
moves() { grep -oE '"[a-h][1-8][a-h][1-8][qrbn]?"' || true; }

# exact FOLDER [RULE]: how many traces of a folder are read exactly.
exact() {
    local trace truth n=0
    for trace in "$1"/*.trace.jsonl; do
        truth=${trace%.trace.jsonl}.truth.json
        if cmp -s <(grep -o '"uci": *"[^"]*"' "$truth" | moves) \
            <("$rokade" replay --json ${2:+--rule "$2"} "$trace" | tail -n 1 | moves); then
            n=$((n + 1))
        fi
    done
    echo "$n"
}

# traces FOLDER: a line about the games of a folder.
traces() {
    local all=("$1"/*.trace.jsonl)
    printf '%-24s%6d%8d%14d%14d%14d\n' "$(basename "$1")" "${#all[@]}" "$(exact "$1")" \
        "$(exact "$1" still:100)" "$(exact "$1" still:300)" "$(exact "$1" press)"
}

hands
if [ "${#folders[@]}" -gt 0 ]; then
    echo "exact"
    echo "traces                   games  rokade  still 100 ms  still 300 ms  at the press"
    for given in "${folders[@]}"; do
        traces "$given"
    done
fi
