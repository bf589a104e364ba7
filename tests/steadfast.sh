#!/usr/bin/env bash
# The table of what withstands the world: a closed loop of damaged bytes, odd names, orders and
# crashes; damage to a journal, byte by byte; disks that stall, fill up, refuse or fail; a hall of
# boards; a network that means harm; how soon a record is durable; and that each fault of the kinds
# in tests/README.md, and each negative control, is still found by its test.
#
# Usage: tests/steadfast.sh [ROW..]
#
# A ROW is one of loop, damage, disk, faults, boards, network, durable; all of them unless named. GAMES
# is how many games the loop has, 20000 unless given; SECONDS_HALL how long the hall plays, 240
# unless given; CROWD how many connections mean harm, 15200 unless given; CARGO the program that builds. Prints lines of `what figure target PASS|FAIL` and
# ends with exit code 1 if anything failed. What is timed wants a machine that does nothing else.
set -euo pipefail
export LC_ALL=C

cd "$(dirname "$0")/.."
. tests/figure.sh
cargo=${CARGO:-cargo}
games=${GAMES:-20000}
export ROKADE_HALL_SECONDS=${SECONDS_HALL:-240} ROKADE_HALL_CROWD=${CROWD:-15200}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# tests NAME..: runs the tests of these names in the release; how many failed is in $failed.
tests() {
    failed=99
    "$cargo" test --quiet --release --test it -- --nocapture "$@" \
        </dev/null >"$scratch/out" 2>&1 || true
    failed=$({ grep -ao '[0-9]* failed' "$scratch/out" || true; } | awk '{ n += $1 } END { print NR ? n : 99 }')
    [ "$failed" = 0 ] || grep -a 'panicked' -A 2 "$scratch/out" || true
}

# passes WHAT NAME: that there is a test of this name, and that it passes.
passes() {
    tests "$2"
    grep -aq '[1-9][0-9]* passed' "$scratch/out" || failed=99
    figure "$1" "$failed" "==" 0
}

# of SUM NAME: a field of a printed struct.
of() {
    grep -ao "$1: [0-9]*" "$scratch/out" | tail -n 1 | grep -o '[0-9]*' || true
}

loop() {
    ROKADE_LOOP_GAMES=$games tests journal::closed
    figure "loop: panics, unread records, timers in the past" "$failed" "==" 0
    figure "loop: games" "$(of n_games)" ">=" "$games"
    figure "loop: crashes" "$(of n_crashes)" ">=" $((games / 2))
    figure "loop: orders" "$(of n_orders)" ">=" "$games"
}

damage() {
    ROKADE_DAMAGE_LINES=6000 ROKADE_DAMAGE_FLIPS=5000 tests journal::damage
    figure "damage: more than a line lost, no start, not told" "$failed" "==" 0
}

disk() {
    passes "disk: unusable from the start, full, reserve" journal::space
    passes "disk: the same in the daemon" space::
    passes "disk: EIO at each call" journal::faults
    passes "disk: power cut at each call" journal::power
    passes "disk: stalled, withheld from the public" journal::kept
}

# The faults that were found, by their numbers in tests/README.md, and the negative controls.
faults() {
    local number name
    while IFS='|' read -r _ number _ name _; do
        number=${number//[[:space:]]/} name=${name//[\`[:space:]]/}
        passes "$number: $name" "$name"
    done < <(grep '^| [DC][0-9]* |' tests/README.md)
}

# hall HALF: that half of the bench, which prints its figures itself.
hall() {
    ROKADE_HALL=$1 "$cargo" bench --quiet --bench hall 2>/dev/null | tee "$scratch/out" || has_failed=1
    ! grep -q 'FAIL$' "$scratch/out" || has_failed=1
}

boards() { hall boards; }
network() { hall network; }

durable() {
    "$cargo" bench --quiet --bench durable 2>/dev/null | grep '\(PASS\|FAIL\)$' | tee "$scratch/out"
    ! grep -q 'FAIL$' "$scratch/out" || has_failed=1
}

rows=("$@")
[ "${#rows[@]}" -gt 0 ] || rows=(loop damage disk faults boards network durable)
for row in "${rows[@]}"; do
    echo "== $row"
    "$row"
done
exit "$has_failed"
