#!/usr/bin/env bash
# Tries the package of this machine's architecture in a Debian of its own: installed, started, upgraded
# in the middle of a game, taken off. Needs root and Debian; what is missing is installed.
#
# Usage: tests/package/try.sh [SUITE]
#
# SUITE is bookworm unless named; trixie is the other that packages are for. Packages are taken from
# target/packages, where tests/package.sh puts them. Prints a line for each thing that holds or does
# not, and ends with exit code 1 if one did not.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
suite=${1:-bookworm}
architecture=$(dpkg --print-architecture)
package=$(find target/packages -name "rokade_*_$architecture.deb" 2>/dev/null | head -n 1)
[ -n "$package" ] || { echo "there is no package; run tests/package.sh $architecture" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "a Debian of its own can be made by root only; use sudo" >&2; exit 1; }
for program in mmdebstrap systemd-nspawn; do
    command -v "$program" >/dev/null ||
        apt-get install -y -q --no-install-recommends mmdebstrap systemd-container >/dev/null
done

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mmdebstrap --quiet --variant=apt --include=systemd,systemd-sysv,udev,dbus,man-db "$suite" "$root"
mkdir "$root/try"
cp tests/package/inside.sh "$root/try/"
cp "$package" "$root/try/old.deb"
# The same program, as the next revision of the package, which explains its settings otherwise.
dpkg-deb --raw-extract "$package" "$root/try/raw"
sed -i 's/^\(Version: .*\)-1$/\1-2/' "$root/try/raw/DEBIAN/control"
sed -i '1i # Of the next revision.' "$root/try/raw/usr/share/rokade/rokade.toml"
dpkg-deb --build --root-owner-group "$root/try/raw" "$root/try/new.deb" >/dev/null
# Manuals are left out of small systems otherwise.
rm -rf "$root/try/raw" "$root"/etc/dpkg/dpkg.cfg.d/*
cat >"$root/etc/systemd/system/try.service" <<'END'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash /try/inside.sh
StandardOutput=file:/try/found
StandardError=inherit
ExecStopPost=systemctl --no-block poweroff
TimeoutStartSec=300
END
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../try.service "$root/etc/systemd/system/multi-user.target.wants/"
timeout 400 systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit --private-network \
    </dev/null >"$root/console" 2>&1 || true
cat "$root/try/found"
[ "$(grep -c '^PASS' "$root/try/found")" -ge 30 ] && ! grep -q '^FAIL' "$root/try/found"
