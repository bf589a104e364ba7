#!/usr/bin/env bash
# Runs tests as they run on a Pi: built for its processors, and started under qemu's emulation of
# them. Needs Debian with Rust; what is missing is installed. Takes a quarter of an hour a
# target and more.
#
# Usage: tests/emulated.sh [ARCHITECTURE..]
#
# An ARCHITECTURE is arm64 or armhf; both unless named. The parts are all unit tests, and of the others those
# that need no second program: what differs between processors (sizes, alignment, order of bytes,
# floating point, system calls) is in codecs, tracker, Laws, clocks and journal.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly PARTS=(bounds clock:: journal:: laws:: narrow:: replay:: track:: wire::)

. tests/package/cross.sh

[ $# -gt 0 ] || set -- arm64 armhf
for architecture; do
    cross "$architecture"
    printf '\n==> %s\n' "$architecture"
    cargo test --quiet --locked --target "$target" --lib
    cargo test --quiet --locked --target "$target" --test it -- "${PARTS[@]}"
done
printf '\nall is well\n'
