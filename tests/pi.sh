#!/usr/bin/env bash
# A Pi without a Pi: boots Debian arm64 under emulation, installs the package as a stranger would,
# plays games through the real daemon on a board behind an emulated USB adapter, pulls its cable
# and cuts the power in the middle of them, and holds the record against what was played.
#
# Usage: tests/pi.sh [UNPLUGS [CUTS [SEED]]]
#        tests/pi.sh cost [SECONDS]
#
# 100 times the cable and 50 times the power, unless given; 1 is the seed of hands and moments unless
# given. Before the power goes the time of day is set ten years on or back. The last game is played on
# a system that is read-only, made so as the book's page on years of use says. Prints a table, and ends
# with exit code 1 if anything was lost or invented. Needs root, Debian, a network for what is missing,
# and the package: tests/package.sh arm64. The card is made once and kept in target/pi. KEEP=1 keeps
# what the last run left there; PROFILE names a profile of cargo's. A cut takes about a minute on two
# cores, an unplug some seconds. With cost four boards play blitz in the emulated machine, whose time is
# counted in instructions, for 60 of its SECONDS unless given.
#
# The power is cut by killing the emulator. What the guest has written is in the hands of this machine by
# then, synced or not: a card that loses what it has promised is tested by `journal::power` alone.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

give_up() {
    printf 'tests/pi.sh: %s\n' "$*" >&2
    exit 1
}

package=$(find target/packages -name 'rokade_*_arm64.deb' 2>/dev/null | sort | tail -n 1)
[ -n "$package" ] || give_up "there is no package; run tests/package.sh arm64"
[ "$(id -u)" = 0 ] || give_up "a card can be made by root only; use sudo"
for program in qemu-system-aarch64 mmdebstrap mkfs.ext4 debugfs depmod cpio python3; do
    command -v "$program" >/dev/null && continue
    apt-get install -y -q --no-install-recommends qemu-system-arm qemu-user-static arch-test mmdebstrap \
        e2fsprogs kmod cpio python3 >/dev/null
    break
done

# What the Debian of the card starts with: nothing of ours but a shell for the one who tests.
card() {
    local work=target/pi/making root=target/pi/making/root version module
    rm -rf target/pi && mkdir -p "$work"
    if [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null || true
        /usr/lib/systemd/systemd-binfmt
    fi
    # The kernel is unpacked, not installed: under emulation its initramfs would take ten minutes.
    # shellcheck disable=SC2016 # for the shell of the hook
    mmdebstrap --quiet --variant=apt --architectures=arm64 --include=systemd,systemd-sysv,udev,dbus,kmod \
        --customize-hook='chroot "$1" sh -c "cd /root && apt-get download -q busybox-static \
            \$(apt-cache depends linux-image-arm64 | sed -n s/.*Depends:.//p)"' \
        bookworm "$root"
    dpkg-deb --fsys-tarfile "$root"/root/linux-image-*.deb |
        tar -x --keep-directory-symlink -C "$root"
    dpkg-deb -x "$root"/root/busybox-static_*.deb "$work/busybox"
    rm "$root"/root/*.deb
    version=$(basename "$root"/lib/modules/*)
    depmod -b "$root" "$version"
    mv "$root/boot/vmlinuz-$version" target/pi/vmlinuz

    mkdir -p "$work"/initrd/{bin,dev,proc,root,lib,upper}
    cp "$work/busybox/bin/busybox" "$work/initrd/bin/"
    for module in virtio_pci virtio_blk ext4 crc32c_generic overlay; do
        modprobe --dirname "$root" --set-version "$version" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/modules"
    while read -r module; do
        cp "$module" "$work/initrd/lib/"
        echo "/bin/busybox insmod /lib/$(basename "$module")"
    done <"$work/modules" >"$work/insmod"
    {
        printf '#!/bin/busybox sh\n/bin/busybox mount -t devtmpfs dev /dev\n'
        cat "$work/insmod"
        printf 'until [ -b /dev/vda ]; do /bin/busybox sleep 0.1; done\n'
        # As Raspberry Pi OS has it, once it is told to: what is written is in memory.
        printf '/bin/busybox mount -t proc proc /proc\n'
        printf 'if /bin/busybox grep -q boot=overlay /proc/cmdline; then\n'
        printf '    /bin/busybox mount -t tmpfs upper /upper\n'
        printf '    /bin/busybox mkdir /upper/data /upper/work /upper/card\n'
        printf '    /bin/busybox mount -t ext4 -o ro /dev/vda /upper/card\n'
        printf '    /bin/busybox mount -t overlay -o %s root /root\n' \
            lowerdir=/upper/card,upperdir=/upper/data,workdir=/upper/work
        printf 'else /bin/busybox mount -t ext4 -o noatime /dev/vda /root; fi\n'
        printf '/bin/busybox umount /proc\n'
        printf '/bin/busybox mount --move /dev /root/dev\n'
        printf 'exec /bin/busybox switch_root /root /sbin/init\n'
    } >"$work/initrd/init"
    chmod +x "$work/initrd/init"
    (cd "$work/initrd" && find . | cpio --quiet -o -H newc) | gzip >target/pi/initrd

    cp -r tests/pi/card/. "$root/"
    chroot "$root" systemctl --quiet enable systemd-networkd tester
    mkdir -p "$root/boot/firmware"
    truncate -s 2G "$work/card.img"
    mkfs.ext4 -q -F -d "$root" "$work/card.img"
    mv "$work/card.img" target/pi/card.img
    rm -rf "$work"
}

[ -e target/pi/card.img ] || card
work=target/pi/run
rm -rf "$work" && mkdir -p "$work"
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
cp --sparse=always target/pi/card.img "$work/card.img"
# A stick for the records of a system that is read-only.
truncate -s 256M "$work/stick.img"
mkfs.ext4 -q -L ROKADE-DATA "$work/stick.img"
# put FILE NAME: on the card.
put() {
    debugfs -w -R "write $1 $2" "$work/card.img" 2>/dev/null >&2
}
if [ "${1:-}" = cost ]; then
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work" ./usr/bin/rokade
    put "$work/usr/bin/rokade" usr/bin/rokade
    debugfs -w -R "set_inode_field usr/bin/rokade mode 0100755" "$work/card.img" 2>/dev/null >&2
    python3 tests/pi/drive.py target/pi cost "${2:-60}"
    exit
fi
profile=${PROFILE:-release}
cargo build --quiet --profile "$profile" --no-default-features --features shell --example pi_board
built=${CARGO_TARGET_DIR:-target}/$([ "$profile" = dev ] && echo debug || echo "$profile")
# As a stranger does, on the part of the card that every computer can read.
put "$package" boot/firmware/rokade.deb
python3 tests/pi/drive.py target/pi "$built/examples/pi_board" "${1:-100}" "${2:-50}" "${3:-1}"
