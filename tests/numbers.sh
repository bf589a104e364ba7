#!/usr/bin/env bash
# The numbers that the service is held to, each from the command that measures it, in one table.
#
# Usage: tests/numbers.sh [ROW..]
#
# A ROW is one of properties, kills, unplugs, cuts, bytes, idle, controls, mutants, hostile, fuzz, pi, cost; all
# of them unless named. All of them take a day. Smaller, or larger, by: SEARCHES for input that breaks a property
# (100 unless given), KILLS of the daemon (2000), ROKADE_UNPLUGS of a cable on a pseudo-terminal (1000), ROKADE_GAMES
# in which the power goes at every call (20), ROKADE_BYTES through each decoder (10^9), HOURS of four idle boards (24,
# SPEED times as fast as in the world, 100; needs root), MUTANTS (300), SECONDS_HALL beside CROWD hostile connections (720, 500),
# SECONDS_FUZZ for each target (600, needs cargo-fuzz), UNPLUGS and CUTS on the emulated Pi (100 and 50, needs root).
# Prints lines of `what figure target PASS|FAIL` and ends with exit code 1 if anything failed.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
. tests/figure.sh
cargo=${CARGO:-cargo}
scratch=$(mktemp -d)
running=()
clean_up() {
    [ "${#running[@]}" = 0 ] || kill "${running[@]}" 2>/dev/null || true
    wait
    ! mountpoint -q "$scratch/disk" || umount "$scratch/disk"
    rm -rf "$scratch"
}
trap clean_up EXIT

# test_of NAME..: runs it in the release; what it prints is in $scratch/out, how many failed in $failed.
test_of() {
    failed=0
    "$cargo" test --quiet --release --test it -- --nocapture "$@" </dev/null >"$scratch/out" 2>&1 || failed=1
    grep -q '[1-9][0-9]* passed' "$scratch/out" || failed=1
}

# Each test of random input, with input that it has not had before.
properties() {
    local n tests=()
    mapfile -t tests < <(grep -rl 'proptest! {' tests/it | sed 's|^tests/it/||; s|\.rs$||; s|/|::|g')
    for ((n = 1; n <= ${SEARCHES:-100}; n++)); do
        PROPTEST_RNG_SEED=$((${SEED:-$RANDOM} * 1000 + n)) test_of "${tests[@]}"
        [ "$failed" = 0 ] || cat "$scratch/out"
        figure "properties: search $n, tests that fail" "$failed" "==" 0
    done
}

# The daemon is killed at random moments of a game, some twenty times in each.
kills() {
    local n=0 n_games=0 n_failed=0 restarts=()
    while [ "$n" -lt "${KILLS:-2000}" ]; do
        n_games=$((n_games + 1))
        ROKADE_SEED=$n_games test_of daemon::no_kill_costs_a_move
        n_failed=$((n_failed + failed))
        n=$((n + $(grep -c '^kill [0-9]' "$scratch/out" || true)))
        mapfile -t -O "${#restarts[@]}" restarts < <(sed -n 's/.*following the board: \[\(.*\)\] ms/\1/p' \
            "$scratch/out" | tr -d ' ' | tr ',' '\n')
    done
    figure "kills: of the daemon in $n_games games" "$n" ">=" "${KILLS:-2000}"
    figure "kills: games with a completed move lost" "$n_failed" "==" 0
    printf '%s\n' "${restarts[@]}" | sort -n >"$scratch/restarts"
    figure "kills: from kill to following the board, ms, median" \
        "$(awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }' "$scratch/restarts")" "<=" 300
}

unplugs() {
    export ROKADE_UNPLUGS=${ROKADE_UNPLUGS:-1000}
    test_of live::a_cable_that
    figure "unplugs: $ROKADE_UNPLUGS times, wrong or missing moves: tests that fail" "$failed" "==" 0
    figure "unplugs: until the board is read again, ms at most" \
        "$(sed -n 's/^unplugs: .*, \([0-9]*\) ms at most/\1/p' "$scratch/out")" "<=" 2000
}

# The power goes at every call with which whole games are put on record.
cuts() {
    export ROKADE_GAMES=${ROKADE_GAMES:-20}
    test_of journal::power
    figure "cuts: at every call of $ROKADE_GAMES games, simulated storage: cuts" \
        "$(awk '/^cuts: / { n += $(NF - 1) } END { print n + 0 }' "$scratch/out")" ">" 0
    figure "cuts: lines lost: tests that fail" "$failed" "==" 0
}

# Whole messages, pieces of them, and what means nothing, through each decoder of a line.
bytes() {
    export ROKADE_BYTES=${ROKADE_BYTES:-1000000000}
    test_of wire::torrent
    figure "bytes: decoders that took all" \
        "$(awk -v n="$ROKADE_BYTES" '/^torrent: / && $2 >= n' "$scratch/out" | wc -l)" "==" 10
    figure "bytes: a panic, a hang, or memory without a limit: tests that fail" "$failed" "==" 0
}

# Four boards and their daemons, faster than the world: a game each, then nobody comes. Their records are on a
# file system of their own, whose writes can be counted; so this needs root.
idle() {
    local rokade=${CARGO_TARGET_DIR:-target}/release/rokade speed=${SPEED:-100} hours=${HOURS:-24} n
    local disk=$scratch/disk memory written
    "$cargo" build --quiet --release
    truncate -s 512M "$scratch/disk.img"
    mkfs.ext4 -q -F "$scratch/disk.img"
    mkdir "$disk"
    mount -o loop,noatime "$scratch/disk.img" "$disk"
    for n in 1 2 3 4; do
        "$rokade" demo --speed "$speed" --seed "$n" --keep "$disk/$n" --listen 127.0.0.1:0 \
            >"$scratch/demo-$n" 2>&1 &
        running+=($!)
    done
    until [ "$(cat "$scratch"/demo-* | grep -c '^The game is over')" = 4 ]; do sleep 1; done
    sleep $((3600 / speed))
    # In KiB: memory of all four, and what has been written to the disk.
    memory() { (cd /proc && awk '/^VmRSS/ { n += $2 } END { print n }' "${running[@]/%//status}"); }
    written() {
        sync -f "$disk"
        awk '{ print int($7 / 2) }' "/sys/block/$(basename "$(findmnt -no SOURCE "$disk")")/stat"
    }
    memory=$(memory) written=$(written)
    sleep $(((hours - 1) * 3600 / speed))
    memory=$(($(memory) - memory)) written=$(($(written) - written))
    kill "${running[@]}"
    wait "${running[@]}" || true
    running=()
    umount "$disk"
    figure "idle: four boards, $hours hours: memory grown, KiB" "$memory" "<" 1024
    figure "idle: written a day for each board, KiB" $((written * 24 / (hours - 1) / 4)) "<" 100
}

controls() {
    tests/steadfast.sh faults >"$scratch/out" || true
    figure "controls: that a test has caught" "$(grep -c '^C[0-9]*: .*PASS$' "$scratch/out")" "==" \
        "$(grep -c '^| C[0-9]' tests/README.md)"
}

mutants() {
    tests/mutants.sh "${MUTANTS:-300}" "${SEED:-1}" >"$scratch/out" 2>&1 || true
    # Only what was asked counts: a run that ended early has caught nothing of the rest.
    local caught all=${MUTANTS:-300}
    caught=$(awk '/^src[^ ]*: [0-9]+ of [0-9]+$/ { n += $2 } END { print n + 0 }' "$scratch/out")
    figure "mutants: caught of $all, %" $((100 * caught / all)) ">=" 90
}

hostile() {
    CROWD=${CROWD:-500} SECONDS_HALL=${SECONDS_HALL:-720} tests/steadfast.sh network | tee "$scratch/out" || has_failed=1
}

fuzz() {
    tests/fuzz.sh "${SECONDS_FUZZ:-600}" >"$scratch/out" 2>&1 && failed=0 || failed=1
    figure "fuzz: targets that break" "$failed" "==" 0
}

pi() {
    tests/pi.sh "${UNPLUGS:-100}" "${CUTS:-50}" && failed=0 || failed=1
    figure "pi: lost or invented" "$failed" "==" 0
}

cost() {
    tests/pi.sh cost | tee "$scratch/out" || true
    figure "cost: four boards at blitz, % of a Zero 2's core" \
        "$(awk -F'|' '/of a core/ { print $3 + 0 }' "$scratch/out")" "<" 5
}

rows=("$@")
[ "${#rows[@]}" -gt 0 ] || rows=(properties kills unplugs cuts bytes idle controls mutants hostile fuzz pi cost)
for row in "${rows[@]}"; do
    echo "== $row"
    "$row"
done
exit "$has_failed"
