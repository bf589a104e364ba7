#!/bin/bash
# Run by tests/package/try.sh in a Debian that was booted for it: installs the package, plays a game
# with an upgrade in the middle of it, and takes the package off again. Prints a line for each thing
# that holds, or does not.
set -u
cd /try

# holds WHAT COMMAND..: that the command succeeds.
holds() {
    local what=$1
    shift
    hash -r
    if "$@" >last 2>&1; then
        printf 'PASS  %s\n' "$what"
    else
        printf 'FAIL  %s\n' "$what"
        tail -n 20 last
    fi
}

# soon SECONDS COMMAND..: that it succeeds within so many seconds.
soon() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.2
    done
}

installs() { DEBIAN_FRONTEND=noninteractive dpkg -i "$1" </dev/null; }
n_moves() { rokade log --json 2>/dev/null | grep -c '"type":"move_completed"'; }
has_moves() { [ "$(n_moves)" -ge "$1" ]; }
is_gone() { ! type -P "$1"; }

# ask REQUEST: what the setup page answers.
ask() {
    exec 3<>/dev/tcp/127.0.0.1/80 || return 1
    printf '%s' "$1" >&3
    cat <&3
}
page_asks() { ask $'GET / HTTP/1.0\r\nHost: localhost\r\n\r\n' 2>/dev/null | grep -q 'Set up Rokade'; }
page_answers() {
    local form
    form="code=$(cat /etc/rokade/setup.code)&name=gold&laws=m2023&time_control=90m%2B30s&page=network"
    ask $'POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: '"${#form}"$'\r\n\r\n'"$form" |
        grep -q 'Rokade is set up' && grep -q '^name = "gold"' /etc/rokade/rokade.toml
}

holds "installs" installs old.deb
holds "the service runs, and will after each start" systemctl is-active --quiet rokade
holds "it is enabled" systemctl is-enabled --quiet rokade
holds "it runs as its own user, who may open serial ports" sh -c 'id -nG rokade | grep -qw dialout'
holds "its manual can be read" sh -c 'man rokade-order | grep -q arbiter'
holds "its settings are read" sh -c "rokade log 2>&1 | grep -q 'there is no journal'"

holds "its questions wait on a page" soon 10 page_asks
holds "its settings are written on the page" page_answers
holds "which is gone then" soon 10 sh -c '! systemctl is-active --quiet rokade-setup'
holds "and so is its code" test ! -e /etc/rokade/setup.code
holds "the games are on a page" soon 20 bash -c ': 2>/dev/null 3<>/dev/tcp/127.0.0.1/8960'
holds "its settings are written by a command" rokade setup --yes --replace \
    --port /run/try/board --laws m2023 --time-control 90m+30s
mkdir -p /etc/systemd/system/rokade.service.d
printf '[Service]\nDeviceAllow=char-pts rw\n' >/etc/systemd/system/rokade.service.d/try.conf
systemctl daemon-reload
# Hands at a board whose line belongs to the user that records, as the rules have it for a real one.
install -d -o rokade /run/try
runuser -u rokade -- rokade simulate --link /run/try/board --speed 6 >simulate.log 2>&1 &
holds "starts anew with settings of one's own" systemctl restart rokade
holds "a game is recorded" soon 60 has_moves 6
holds "it says how it stands" sh -c "rokade status | grep -q '1 of 1 boards recorded, 1 connected'"
holds "the settings that were written are used" sh -c 'rokade status --json | grep -q GAME_START'
n_before=$(n_moves)
holds "is upgraded in the middle of the game" installs new.deb
holds "the service runs again" systemctl is-active --quiet rokade
holds "the newer one" sh -c "dpkg-query -W -f '\${Version}' rokade | grep -q -- -2"
holds "the settings were kept" grep -q '^port = "/run/try/board"' /etc/rokade/rokade.toml
holds "those of the newer one can be read beside them" grep -q 'next revision' /usr/share/rokade/rokade.toml
holds "nothing of the record is gone" has_moves "$n_before"
holds "the game goes on to its mate" soon 120 sh -c "rokade export | grep -q '17. Rd8#'"
holds "which ends it" soon 20 sh -c "rokade export | grep -q '^.Result .1-0..'"
holds "the record is whole" rokade verify
kill %1 2>/dev/null
holds "can be taken off" dpkg --purge rokade
holds "nothing of it runs" sh -c '! systemctl is-active --quiet rokade'
holds "its settings are gone" test ! -e /etc/rokade/rokade.toml
holds "its program is gone" is_gone rokade
holds "the records are not" sh -c 'ls /var/lib/rokade/*/*.pgn'
