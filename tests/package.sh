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

give_up() {
    printf 'tests/package.sh: %s\n' "$*" >&2
    exit 1
}

# needs PROGRAM PACKAGE: installs the Debian package unless there is the program.
needs() {
    command -v "$1" >/dev/null && return
    command -v apt-get >/dev/null || give_up "there is no $1; install it"
    local as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get install -y -q --no-install-recommends "$2" >/dev/null ||
        give_up "there is no $1, and $2 cannot be installed"
}

# of ARCHITECTURE: sets what builds for it.
of() {
    case $1 in
    amd64) target=x86_64-unknown-linux-gnu prefix=x86_64-linux-gnu emulator=qemu-x86_64-static ;;
    arm64) target=aarch64-unknown-linux-gnu prefix=aarch64-linux-gnu emulator=qemu-aarch64-static ;;
    armhf) target=armv7-unknown-linux-gnueabihf prefix=arm-linux-gnueabihf emulator=qemu-arm-static ;;
    *) give_up "$1 is no architecture of ours; amd64, arm64 and armhf are" ;;
    esac
}

# build ARCHITECTURE: the program, checked, and its package.
build() {
    of "$1"
    local start=() linker=CARGO_TARGET_${target^^}_LINKER
    if [ "$1" != "$(dpkg --print-architecture)" ]; then
        needs "$prefix-gcc" "gcc-$prefix"
        needs "$prefix-objdump" "binutils-$prefix"
        needs "$emulator" qemu-user-static
        export "${linker//-/_}=$prefix-gcc"
        start=("$emulator" -L "/usr/$prefix")
    fi
    rustup target add "$target" 2>/dev/null || give_up "rustup cannot have the target $target"
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
