#!/usr/bin/env bash
# Builds the release binary and prints how large it is, how fast it starts, and what the idle daemon
# takes with one simulated board at its other end: a clock that runs, and nobody who moves. Then how
# often the record of games is exact: see tests/games.sh, which takes the folders.
#
# Usage: tests/figures.sh [SECONDS [FOLDER..]]
#
# SECONDS is how long the processor is watched; 60 unless given.
# Prints `name value target PASS|FAIL` and ends with exit code 1 if anything failed. CARGO names
# the program that builds.
set -euo pipefail
export LC_ALL=C

seconds=${1:-60}
shift || true
folders=()
for given in "$@"; do
    folders+=("$(realpath "$given")")
done
cd "$(dirname "$0")/.."
${CARGO:-cargo} build --quiet --release
rokade=${CARGO_TARGET_DIR:-target}/release/rokade

folder=$(mktemp -d)
daemon= board=
clean_up() {
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
    [ -z "$board" ] || kill "$board" 2>/dev/null || true
    wait
    rm -rf "$folder"
}
trap clean_up EXIT

has_failed=0
# figure NAME VALUE UNIT MOST
figure() {
    local verdict=PASS
    if ! awk "BEGIN { exit !($2 < $4) }"; then
        verdict=FAIL
        has_failed=1
    fi
    echo "$1 $2$3 <$4$3 $verdict"
}

die() {
    echo "figures: $1" >&2
    exit 2
}

# Reads lines until one holds these words, for ten seconds at most.
wait_for() {
    local line
    while read -r -t 10 line; do
        case $line in *"$1"*) return ;; esac
    done
    die "no line says \"$1\""
}

now_us() { echo "${EPOCHREALTIME/./}"; }

# Processor time of the daemon so far, in ticks of the system, its ended threads included.
ticks() {
    local stat
    stat=$(<"/proc/$daemon/stat")
    # shellcheck disable=SC2086 # fields are to be split
    set -- ${stat##*) }
    echo $((${12} + ${13}))
}

# status_kib KEY: a line of the daemon's status.
status_kib() { awk -v key="$1:" '$1 == key { print $2 }' "/proc/$daemon/status"; }

mib() { awk "BEGIN { printf \"%.2f\", $1 / 1048576 }"; }

figure binary.size "$(mib "$(stat -c %s "$rokade")")" MiB 15

cat >"$folder/still.trace" <<'TRACE'
{"trace":1,"board":"dgt","clock":true}
{"t":0,"end":true}
TRACE
cat >"$folder/rokade.toml" <<TOML
state_dir = "$folder/state"
[http]
listen = "127.0.0.1:0"
[[board]]
port = "$folder/board"
TOML
"$rokade" simulate --trace "$folder/still.trace" --link "$folder/board" \
    >"$folder/board.log" 2>&1 &
board=$!
for _ in {1..100}; do
    [ -e "$folder/board" ] && break
    sleep 0.05
done
[ -e "$folder/board" ] || die "there is no simulated board: $(<"$folder/board.log")"

# Starts the daemon; its log comes through descriptor 3.
start() {
    mkfifo "$folder/log"
    exec 3<>"$folder/log"
    rm "$folder/log"
    started=$(now_us)
    "$rokade" --config "$folder/rokade.toml" run 2>&3 >/dev/null &
    daemon=$!
    wait_for "the demo board is at" <&3
    ready=$(now_us)
}

times=()
for round in 1 2 3 4 5; do
    start
    times+=($((ready - started)))
    if [ "$round" -lt 5 ]; then
        kill "$daemon"
        wait "$daemon" || true
    fi
done
median=$(printf '%s\n' "${times[@]}" | sort -n | sed -n 3p)
figure start.median "$(awk "BEGIN { printf \"%.1f\", $median / 1000 }")" ms 1000

# Until the board has been woken and its game has begun.
wait_for "game" <&3
sleep 2
before=$(ticks)
sleep "$seconds"
after=$(ticks)
hertz=$(getconf CLK_TCK)
share=$(awk "BEGIN { printf \"%.3f\", 100 * ($after - $before) / $hertz / $seconds }")
figure idle.cpu "$share" % 0.5
figure idle.memory "$(mib "$(($(status_kib VmRSS) * 1024))")" MiB 20
figure idle.memory-peak "$(mib "$(($(status_kib VmHWM) * 1024))")" MiB 20

echo
tests/games.sh "${folders[@]}"
exit "$has_failed"
