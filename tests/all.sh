#!/usr/bin/env bash
# Everything that must hold, in one command: installs what the tests need where it is missing, then
# checks format, the pages' scripts, lints, features, tests, documentation and dependencies. Made for
# Debian with Rust, Node.js and npm; ends at the first step that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# The newest that the Rust of Cargo.toml builds.
readonly CARGO_DENY=0.20.2

step() {
    printf '\n==> %s\n' "$*"
}

run() {
    step "$*"
    "$@"
}

give_up() {
    printf 'tests/all.sh: %s\n' "$*" >&2
    exit 1
}

# Debian packages for programs that are not there: "program package".
missing_packages() {
    local program package
    while read -r program package; do
        command -v "$program" >/dev/null || echo "$package"
    done <<'END'
chromium chromium
chromedriver chromium-driver
systemd-analyze systemd
udevadm udev
dbus-daemon dbus-daemon
cc gcc
c++ g++
make make
python3 python3
arm-none-eabi-gcc gcc-arm-none-eabi
END
    [ -e /usr/lib/arm-none-eabi/newlib/libc.a ] || echo libnewlib-arm-none-eabi
    # A page without letters is no page.
    [ -d /usr/share/fonts/truetype ] || echo fonts-dejavu-core
}

install_packages() {
    local packages as_root=()
    mapfile -t packages < <(missing_packages)
    [ "${#packages[@]}" -gt 0 ] || return 0
    step "install ${packages[*]}"
    command -v apt-get >/dev/null ||
        give_up "the tests need ${packages[*]} (Debian's names), and there is no apt-get: install them"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            give_up "the tests need ${packages[*]}: install them as root with apt-get"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "${packages[@]}" ||
        give_up "apt-get could not install ${packages[*]}: see above"
}

install_cargo_deny() {
    cargo deny --version >/dev/null 2>&1 && return 0
    # Some minutes on two cores, and more if it were made quick.
    run cargo install cargo-deny --locked --debug --version "$CARGO_DENY" ||
        give_up "cargo-deny $CARGO_DENY could not be installed: see above"
}

command -v cargo >/dev/null || give_up "Rust is missing: install it from https://rustup.rs"
for part in fmt clippy; do
    cargo "$part" --version >/dev/null 2>&1 ||
        give_up "cargo $part is missing: run rustup component add rustfmt clippy"
done
command -v npm >/dev/null || give_up "the pages need Node.js with npm: install nodejs and npm"

install_packages

run cargo fmt --check
run npm --prefix tests/pages ci --ignore-scripts --no-audit --no-fund
run npm --prefix tests/pages run check
run npm --prefix tests/bridge ci --ignore-scripts --no-audit --no-fund
run cargo clippy --workspace --all-targets --locked -- -D warnings
run cargo check --lib --no-default-features --locked
run cargo clippy --no-default-features --features shell --locked -- -D warnings
# Most tests wait for a daemon that plays at the pace of the world: more of them than there are cores
# can run at a time.
export RUST_TEST_THREADS="${RUST_TEST_THREADS:-$((3 * $(nproc)))}"
# What is tested is the same everywhere: new random input is for `tests/numbers.sh properties`.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}"
run cargo test --workspace --locked
RUSTDOCFLAGS=-Dwarnings run cargo doc --no-deps --locked

install_cargo_deny
# Advisories are left out: their database must be fetched. Where there is a network, run
# `cargo deny --config .deny.toml check advisories` as well.
run cargo deny --config .deny.toml check licenses bans sources

step "all is well"
