#!/usr/bin/env bash
# Builds the documentation as a site, into target/book/html: the pages of src/book, the sheets of
# hardware, and the documents beside the code that readers want. What it needs is installed where it
# is missing.
#
# Usage: tests/book.sh [--gather FOLDER]
#
# With --gather the pages are only put together in FOLDER, for the test of their links and commands.
set -euo pipefail
cd "$(dirname "$0")/.."

# The newest that the Rust of Cargo.toml builds.
readonly MDBOOK=0.5.4

# gather FOLDER: all pages, each where the others' links look for it.
gather() {
    mkdir -p "$1/tests"
    cp -r src/book/*.md src/book/*.png hardware "$1/"
    cp src/RULINGS.md src/METRICS.md CHANGELOG.md src/web/demo-board.png "$1/"
    cp tests/FIGURES.md "$1/tests/"
    # Their links lead somewhere in the repository too.
    sed -i -E 's#\]\((\.\./\.\./|\.\./web/|\.\./)#](#g' "$1"/*.md
}

if [ "${1:-}" = --gather ]; then
    gather "${2:?--gather needs a FOLDER}"
    exit
fi
mdbook --version 2>/dev/null | grep -q . ||
    cargo install --quiet --locked mdbook --version "$MDBOOK" --no-default-features --features search
rm -rf target/book
mkdir -p target/book
gather target/book/pages
cp src/book/book.toml target/book/
said=$(mdbook build target/book 2>&1) || {
    printf '%s\n' "$said" >&2
    exit 1
}
if grep -q WARN <<<"$said"; then
    printf '%s\n' "$said" >&2
    exit 1
fi
echo "open target/book/html/index.html"
