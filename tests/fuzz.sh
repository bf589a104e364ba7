#!/usr/bin/env bash
# Input that nobody meant, for every parser and for the whole game: tests/fuzz holds the targets and
# a few inputs for each.
#
# Usage: tests/fuzz.sh [SECONDS] [TARGET..]
#
# Without SECONDS, or with 0, each target is built as any program is and given the inputs that are
# committed, as in tests/all.sh. With SECONDS each target is searched for so long, guided
# by what has been reached; that takes a nightly Rust and cargo-fuzz. What is found lies in
# tests/fuzz/artifacts, and belongs into tests/fuzz/corpus once it is mended.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-0}
[ $# -eq 0 ] || shift
targets=("$@")

if [ "$seconds" -eq 0 ]; then
    exec cargo test --locked --package rokade-fuzz -- "${targets[@]}"
fi
cargo +nightly fuzz --version >/dev/null 2>&1 || {
    echo "tests/fuzz.sh: a search needs a nightly Rust and cargo-fuzz: rustup toolchain install" \
        "nightly && cargo install cargo-fuzz" >&2
    exit 1
}
[ $# -gt 0 ] || mapfile -t targets < <(cd tests/fuzz/fuzz_targets && printf '%s\n' *.rs | sed 's/\.rs$//')
# Optimization across crates takes ten minutes a target here, and finds nothing.
export CARGO_PROFILE_RELEASE_LTO=off
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
for target in "${targets[@]}"; do
    mkdir -p "$found/$target"
    cargo +nightly fuzz run --fuzz-dir tests/fuzz -O "$target" "$found/$target" \
        "tests/fuzz/corpus/$target" -- -max_total_time="$seconds" -timeout=20 -print_final_stats=1
done
