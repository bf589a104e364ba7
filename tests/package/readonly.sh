#!/usr/bin/env bash
# Tries a system that is read-only, with the records on a partition of their own: a game is recorded,
# the daemon and its partition go without a word, and it goes on. Needs root and Debian.
#
# Usage: tests/package/readonly.sh [PROGRAM]
#
# PROGRAM is target/release/rokade unless named. In a namespace of its own all file systems of this
# machine are made read-only; nothing outside of it notices. Prints a line for each thing that holds or
# does not, and ends with exit code 1 if one did not.
set -euo pipefail
export LC_ALL=C
program=$(realpath "${1:-$(dirname "$0")/../../target/release/rokade}")
[ -x "$program" ] || { echo "there is no $program; build it, or name another" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "file systems can be made read-only by root only; use sudo" >&2; exit 1; }
if [ -z "${ROKADE_TRIED_IN:-}" ]; then
    work=$(mktemp -d)
    trap 'rmdir "$work"' EXIT
    ROKADE_TRIED_IN=$work unshare --mount --propagation private "$0" "$program"
    exit
fi

work=$ROKADE_TRIED_IN
mount -t tmpfs tmpfs "$work"
truncate -s 64M "$work/data.img"
mkfs.ext4 -q -F -L ROKADE-DATA "$work/data.img"
mkdir "$work/records"
on() { mount -o loop,noatime,errors=remount-ro "$work/data.img" "$work/records"; }
on
cat >"$work/rokade.toml" <<END
state_dir = "$work/records"
[http]
enabled = false
[[board]]
port = "$work/board"
time_control = "90m+30s"
END
# What is started writes to the tmpfs above; all else may only be read from now on.
while read -r _ at _; do
    case $at in
    "$work"*) ;;
    *) mount -o remount,bind,ro "$at" 2>/dev/null || true ;;
    esac
done </proc/self/mounts

failed=0
holds() {
    local what=$1
    shift
    if "$@" >"$work/last" 2>&1; then
        printf 'PASS  %s\n' "$what"
    else
        printf 'FAIL  %s\n' "$what"
        tail -n 5 "$work/last"
        failed=1
    fi
}
soon() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.2
    done
}
rokade() { "$program" --config "$work/rokade.toml" "$@"; }
n_moves() { rokade log --json 2>/dev/null | grep -c '"type":"move_completed"'; }
has_moves() { [ "$(n_moves)" -ge "$1" ]; }
start() {
    "$program" --config "$work/rokade.toml" run >>"$work/said" 2>&1 &
    daemon=$!
}
cannot_write() { ! touch "$1/rokade-was-here" 2>/dev/null; }

for folder in / /etc /var/lib /tmp; do
    holds "$folder is read-only" cannot_write "$folder"
done
"$program" simulate --link "$work/board" --speed 6 >"$work/simulated" 2>&1 &
board=$!
start
holds "a game is recorded" soon 120 has_moves 6
n_before=$(n_moves)
{ kill -9 "$daemon" && wait "$daemon"; } 2>/dev/null || true
umount -l "$work/records"
on
holds "what was shown is on the partition" has_moves "$n_before"
holds "it is whole" rokade verify
start
holds "the game goes on to its mate" soon 240 sh -c "'$program' --config '$work/rokade.toml' export | grep -q '17. Rd8#'"
holds "the record is whole" rokade verify
kill "$daemon" "$board" 2>/dev/null || true
wait
umount "$work/records"
exit "$failed"
