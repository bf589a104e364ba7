#!/usr/bin/env bash
# How much of changed code the tests of the Laws, the tracker, the clock, the lines and the journal
# notice: tests/mutants builds a copy of what is committed with a mutant at every place that can be
# changed, each behind a switch, and runs the tests that reach a place until one fails.
#
# Usage: tests/mutants.sh [N] [SEED] [FOLDER..]
#        tests/mutants.sh again FILE
#        tests/mutants.sh listed [N] [SEED] [FOLDER..]
#        tests/mutants.sh rows
#
# N places of these folders (src/wire, say), or of all, are taken by chance, or those of the lines in FILE that
# a run has printed. The build takes minutes, and so does finding out which tests reach what. Tests that take
# over a minute by themselves are not asked, and a place is given up after three. Where no test fails the
# examples of the documentation are run.
# MUTANTS=DIR keeps the copy and what was built there.
# Each place is printed with the test that noticed it, or LIVES; the last lines count them by folder.
# With `listed` the places are those that cargo-mutants lists, which is fetched unless it is there, and not ours:
# its mutants change operators, results and arms; ours change numbers, limits, conditions and statements too.
# With `rows` each provision without a code is switched off at the place that keeps it
# (tests/tables/laws/switched.csv), and the scenario or test that the table names has to fail.
set -euo pipefail
[ "${1:-}" != again ] || list=$(realpath "$2")
cd "$(dirname "$0")/.."

copy=${MUTANTS:-$(mktemp -d)}
[ -n "${MUTANTS:-}" ] || trap 'rm -rf "$copy"' EXIT
rm -rf "$copy/src" "$copy/tests"
mkdir -p "$copy"
git archive HEAD | tar -x -C "$copy"
export CARGO_TARGET_DIR=$copy/target
cargo build --locked --release --manifest-path tests/mutants/Cargo.toml
if [ "${1:-}" = listed ]; then
    shift
    command -v cargo-mutants >/dev/null || [ -x "$copy/bin/cargo-mutants" ] ||
        cargo install --locked --root "$copy" cargo-mutants
    (cd "$copy" && PATH=$PATH:$copy/bin cargo mutants --list --json --file 'src/{laws,track,clock,wire}/**' \
        --file 'src/shell/journal/**' >listed.json)
    "$CARGO_TARGET_DIR/release/rokade-mutants" listed "$copy" "$copy/listed.json"
else
    "$CARGO_TARGET_DIR/release/rokade-mutants" weave "$copy"
fi
if [ "${1:-}" = again ]; then
    "$CARGO_TARGET_DIR/release/rokade-mutants" again "$copy" "$list"
elif [ "${1:-}" = rows ]; then
    "$CARGO_TARGET_DIR/release/rokade-mutants" rows "$copy"
else
    "$CARGO_TARGET_DIR/release/rokade-mutants" run "$copy" "${1:-100}" "${2:-1}" "${@:3}"
fi
