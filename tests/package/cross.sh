# For scripts beside it that build for a Pi: sourced, not run.

give_up() {
    printf '%s: %s\n' "$0" "$*" >&2
    exit 1
}

# needs PROGRAM PACKAGE: installs the Debian package unless there is the program, or the file.
needs() {
    [ ! -e "$1" ] && ! command -v "$1" >/dev/null || return 0
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

# cross ARCHITECTURE: what `of` sets, and installs what builds and starts programs for it here; `start` is
# what they are started by.
cross() {
    of "$1"
    start=()
    local variable=CARGO_TARGET_${target^^}
    variable=${variable//-/_}
    if [ "$1" != "$(dpkg --print-architecture)" ]; then
        needs "$prefix-gcc" "gcc-$prefix"
        # The compiler only recommends the headers of the C library.
        needs "/usr/$prefix/include/stdio.h" "libc6-dev-$1-cross"
        needs "$prefix-objdump" "binutils-$prefix"
        needs "$emulator" qemu-user-static
        start=("$emulator" -L "/usr/$prefix")
        export "${variable}_LINKER=$prefix-gcc" "${variable}_RUNNER=${start[*]}"
    fi
    rustup target add "$target" 2>/dev/null || give_up "rustup cannot have the target $target"
}
