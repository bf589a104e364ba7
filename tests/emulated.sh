#!/usr/bin/env bash
# Runs tests as they run on a Pi: built for its processors, and started under qemu's emulation of
# them. Needs Debian with Rust; what is missing is installed. Takes a quarter of an hour a
# target and more.
#
# Usage: tests/emulated.sh [ARCHITECTURE..]
#
# An ARCHITECTURE is arm64 or armhf; both unless named. The parts are all unit tests, and of the others those
# that need no board behind a pseudo-terminal, which qemu's emulation of single programs does not have (7.2 knows no
# TIOCGPTPEER): what differs between processors (sizes, alignment, order of bytes, floating point, system
# calls) is in codecs, tracker, Laws, clocks and journal. Tests that start the program of that
# processor run where the kernel hands such programs to qemu (binfmt_misc), and are left out elsewhere.
# What plays games or damages bytes again and again does so less often than elsewhere, as all takes many times as
# long; ROKADE_LOOP_GAMES, ROKADE_DAMAGE_LINES and ROKADE_DAMAGE_FLIPS say how often. Prints how long each part took.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PARTS=(bounds clock:: journal:: laws:: narrow:: replay:: track:: wire::)
readonly WITHOUT_BOARD=(--skip laws::live::)
readonly WITHOUT_PROGRAM=(--skip laws::command:: --skip journal::schema::)
export ROKADE_LOOP_GAMES=${ROKADE_LOOP_GAMES:-10}
export ROKADE_DAMAGE_LINES=${ROKADE_DAMAGE_LINES:-200} ROKADE_DAMAGE_FLIPS=${ROKADE_DAMAGE_FLIPS:-40}

. tests/package/cross.sh

[ $# -gt 0 ] || set -- arm64 armhf
for architecture; do
    cross "$architecture"
    printf '\n==> %s\n' "$architecture"
    skipped=("${WITHOUT_BOARD[@]}")
    if [ -e "/proc/sys/fs/binfmt_misc/${emulator%-static}" ]; then
        export QEMU_LD_PREFIX=/usr/$prefix
    else
        skipped+=("${WITHOUT_PROGRAM[@]}")
    fi
    cargo test --quiet --locked --target "$target" --lib --test it --no-run
    SECONDS=0
    cargo test --quiet --locked --target "$target" --lib
    printf '%s, unit tests: %s s\n' "$architecture" "$SECONDS"
    SECONDS=0
    cargo test --quiet --locked --target "$target" --test it -- "${PARTS[@]}" "${skipped[@]}"
    printf '%s, the others: %s s\n' "$architecture" "$SECONDS"
done
printf '\nall is well\n'
