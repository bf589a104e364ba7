#!/usr/bin/env bash
# How much of changed code the tests of the Laws, the tracker and the clock notice: tests/mutants
# builds a copy of what is committed with a mutant at every place that can be changed, each behind a
# switch, and runs the tests that reach a place until one fails.
#
# Usage: tests/mutants.sh [N] [SEED]
#
# N places are taken by chance. The build takes minutes, and so does finding out which tests reach what;
# on two cores beside other builds 70 places took half an hour in all. Tests that take over 16 s by
# themselves are not asked.
# Each is printed with the test that noticed it, or LIVES; the last lines count them by folder.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git archive HEAD | tar -x -C "$copy"
export CARGO_TARGET_DIR=$copy/target
cargo build --locked --release --manifest-path tests/mutants/Cargo.toml
"$CARGO_TARGET_DIR/release/rokade-mutants" weave "$copy"
"$CARGO_TARGET_DIR/release/rokade-mutants" run "$copy" "${1:-100}" "${2:-1}"
