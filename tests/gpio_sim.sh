#!/usr/bin/env bash
# Plays games on a board of rows and columns in a guest whose kernel simulates the pins (`gpio-sim`),
# and prints how many half-moves are on record. The daemon there reads them as it would on a Pi, by
# the kernel's character devices (`pins = "gpiocdev"`); what it does to the rows is carried to a
# simulated board by tests/gpio_sim/wires.rs. With and without a clock and a referee; GAMES times, by
# other hands each time.
#
# Usage: tests/gpio_sim.sh KERNEL [GAMES]
#
# KERNEL is the folder of an unpacked kernel with `gpio-sim`, as Debian's linux-image of 7.2 has it,
# with `vmlinuz` and `kernel/` in it: in Debian unstable it is
#   apt-get download linux-binary-VERSION linux-modules-VERSION
#   for package in linux-*.deb; do dpkg-deb -x "$package" unpacked; done
#   tests/gpio_sim.sh unpacked/usr/lib/modules/VERSION
# Needs qemu-system-x86_64, busybox (statically linked), cpio, xz and, for building, cargo. PROFILE
# names a profile of cargo's, `release` unless set. A game takes some two minutes on a machine that does
# nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

kernel=${1:?the folder of a kernel with gpio-sim}
n_games=${2:-1}
profile=${PROFILE:-release}
cargo build --quiet --profile "$profile" --no-default-features --features pi \
    --bin rokade --example gpio_wires
built=target/$([ "$profile" = dev ] && echo debug || echo "$profile")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,tmp,run,etc,lib/modules}

# Programs, and the libraries that they want.
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$built/rokade" "$built/examples/gpio_wires" "$root/bin/"
ldd "$root/bin/rokade" "$root/bin/gpio_wires" | grep -o '/[^ ]*' | grep -v ':$' | sort -u |
    while read -r library; do
        install -D "$library" "$root$library"
    done
for module in fs/configfs/configfs drivers/gpio/gpio-sim; do
    xz -dc "$kernel/kernel/$module.ko.xz" >"$root/lib/modules/$(basename "$module").ko"
done
cp tests/gpio_sim/init "$root/init"
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc) >"$work/root.cpio"

# The guest's time is counted in its instructions: what else this machine does changes nothing.
timeout $((600 + 3000 * n_games)) qemu-system-x86_64 -accel tcg,thread=single \
    -icount shift=1,sleep=off -m 1024 -smp 1 -display none -monitor none -serial "file:$work/serial" \
    -no-reboot -kernel "$kernel/vmlinuz" -initrd "$work/root.cpio" \
    -append "console=ttyS0 quiet panic=-1 games=$n_games" </dev/null
tr -d '\r' <"$work/serial" >"$work/said"
grep '^|' "$work/said" || {
    tail -n 40 "$work/said" >&2
    exit 1
}
grep -q '^all is on record$' "$work/said" || {
    sed -n '/^-- /,$p' "$work/said" >&2
    exit 1
}
