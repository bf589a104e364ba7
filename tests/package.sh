#!/usr/bin/env bash
# Builds the packages for Debian and Raspberry Pi OS, Bookworm and later, into target/packages, with
# their checksums. What it needs is installed where it is missing, on Debian.
#
# Usage: tests/package.sh [ARCHITECTURE..]
#
# An ARCHITECTURE is amd64, arm64 (a Pi 3 and later with a system of 64 bits) or armhf (with one of 32); all
# three unless named. The program of another architecture than this machine's is started once under
# emulation. CARGO is the program that builds.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}

# The newest C library that Bookworm has: a program that asks for a newer one does not start there.
readonly GLIBC=2.36
# The newest that the Rust of Cargo.toml builds.
readonly CARGO_DEB=3.8.0
readonly CARGO_AUDITABLE=0.7.7

. tests/package/cross.sh

# build ARCHITECTURE: the program, checked, and its package.
build() {
    cross "$1"
    "$cargo" auditable build --quiet --release --locked --target "$target" --bin rokade
    local program=target/$target/release/rokade newest
    # The list of all that is linked in, with versions: scanners for known faults read it.
    "$prefix-objdump" -h "$program" | grep -q '\.dep-v0' || give_up "the program for $1 does not say what is in it"
    newest=$("$prefix-objdump" -T "$program" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -n 1)
    [ "$(printf '%s\n' "$newest" "GLIBC_$GLIBC" | sort -V | tail -n 1)" = "GLIBC_$GLIBC" ] ||
        give_up "the program for $1 wants $newest; build it on Debian 12"
    "${start[@]}" "$program" --version >/dev/null || give_up "the program for $1 does not start"
    "$cargo" deb --quiet --no-build --no-strip --locked --target "$target" --output target/packages/ >/dev/null
    printf '%s wants %s\n' "$(cd target/packages && ls -t ./*_"$1".deb | head -n 1)" "$newest"
}

architectures=("$@")
[ "${#architectures[@]}" -gt 0 ] || architectures=(amd64 arm64 armhf)
for architecture in "${architectures[@]}"; do of "$architecture"; done
needs dpkg-deb dpkg
needs objdump binutils
"$cargo" deb --version 2>/dev/null | grep -q . || "$cargo" install --quiet --locked cargo-deb --version "$CARGO_DEB"
"$cargo" auditable --version 2>/dev/null | grep -q . ||
    "$cargo" install --quiet --locked cargo-auditable --version "$CARGO_AUDITABLE"
rm -rf target/papers target/packages
mkdir -p target/packages
"$cargo" run --quiet --locked --example papers target/papers
for architecture in "${architectures[@]}"; do build "$architecture"; done
(cd target/packages && sha256sum ./*.deb >SHA256SUMS)
