#!/usr/bin/env bash
# The table of what the recorder holds to, on games by simulated hands in virtual time, from the
# release: hands of every kind beyond the usual, each habit alone and all together; the same games
# with a referee; accusations, silence, false ends; the cross-check by a map of all reachable
# placements; how soon a move is shown; what becomes of clocks that are driven; how fast an event is
# handled.
#
# Usage: tests/table.sh [ROW..]
#
# A ROW is one of habits, referee, map, shown, clocks, speed, troubles, live; all of them unless named.
# troubles are lines that are cut, joined late, noisy or held up, in virtual time; live is a smaller number of the
# same through the daemon and its pseudo-terminals, at the pace of the world: LIVE games each, 40 unless
# given, in some minutes. GAMES is how many games a row has, 200
# unless given; SEED the first of their seeds; PGN a file whose games are played instead of invented
# ones; MAP how many games the cross-check has and DIALOGUES how many clocks answer anything at all,
# 10000 unless given; CARGO the program that builds.
# Prints lines of `what figure target PASS|FAIL` behind each table, and ends with exit code 1 if
# anything failed.
set -euo pipefail
export LC_ALL=C

pgn=${PGN:+$(realpath "$PGN")}
cd "$(dirname "$0")/.."
. tests/figure.sh
${CARGO:-cargo} build --quiet --release
rokade=${CARGO_TARGET_DIR:-target}/release/rokade
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

games=${GAMES:-200}
seed=${SEED:-1}
habits=(scan lag lies nowait beside early recapture tails drags back after takeback all)

# play OPTION..: a table of games, which is also kept in $scratch/table.
play() {
    local options=(--seed "$seed" --failing "$scratch" "$@")
    [ -z "$pgn" ] || options+=(--game "$pgn")
    # It fails where a game is silently wrong, and names it; the others count all the same.
    "$rokade" simulate "${options[@]}" 2>/dev/null | tee "$scratch/table" || true
}

# columns PATTERN AWK: what awk makes of the rows of the first table whose name fits.
columns() { awk -v pattern="$1" '/^(seed|$)/ { exit } NR > 1 && $1 ~ pattern { '"$2"' }' "$scratch/table"; }

# The least share of right games, in per cent, among the rows that fit.
least() { columns "$1" 's = 100 * ($3 + $4) / $2; if (!n++ || s < m) m = s; print m' | tail -n 1; }

# A column added up over all rows.
total() { columns . "s += \$$1; print s" | tail -n 1; }

habits() {
    local profile options=() habit
    for habit in "${habits[@]}"; do
        options+=(--also "$habit")
    done
    for profile in club school blitz scramble; do
        play --games "$games" --manners "$profile" "${options[@]}"
        case $profile in
        club) figure "club, worst habit: right, %" "$(least '\\+[^a]|after')" ">=" 100 ;;
        scramble) figure "scramble, worst habit: right, %" "$(least '\\+([^a]|after)')" ">=" 98 ;;
        *) figure "$profile, worst habit: right, %" "$(least '\\+([^a]|after)')" ">=" 99.5 ;;
        esac
        [ "$profile" != blitz ] ||
            figure "blitz, all habits: right, %" "$(least '\\+all')" ">=" 97
        figure "$profile: wrong in silence" "$(total 5)" "==" 0
        figure "$profile: records that end where the board does not" "$(total 6)" "==" 0
        figure "$profile: false mates, stalemates, dead positions" "$(total 7)" "==" 0
        figure "$profile: innocent players accused" "$(total 8)" "==" 0
        echo
    done
}

# referee_row: the second table, of the games with a referee.
referee_row() {
    awk -v column="$1" '/^with a referee/ { on = 1; getline; next }
        on && (NF < 5 || /^seed/) { exit }
        on { games += $2; same += $column } END { print column == 5 ? same + 0 : games - same }' \
        "$scratch/table"
}

referee() {
    local edition
    for edition in hu2005 dk2009 no2009 m2018 m2023; do
        play --games $((games / 5)) --laws "$edition" --also none --also scan --also all
        figure "$edition: games with other moves than without a referee" "$(referee_row 3)" "==" 0
        figure "$edition: games with another result" "$(referee_row 4)" "==" 0
        figure "$edition: innocent players accused" "$(referee_row 5)" "==" 0
        echo
    done
}

map() {
    local n=$((${MAP:-10000} / 12)) profile
    for profile in clean club blitz scramble school lossy; do
        play --games "$n" --manners "$profile" --cross-check --also none --also all
        figure "$profile: records that the map contradicts, unmarked" \
            "$(awk '/^on the map/ { on = 1; getline; next } on && !/^'"$profile"'/ { exit }
                on { n += $6 } END { print n + 0 }' "$scratch/table")" "==" 0
        figure "$profile: wrong in silence" "$(total 5)" "==" 0
        echo
    done
}

shown() {
    play --games "$games" --manners club --also none --also scan --shown
    local line
    while read -r line; do
        # shellcheck disable=SC2086 # fields are to be split
        set -- $line
        figure "$1: shown after the release, ms, median" "$3" "<=" 250
        figure "$1: shown after the release, ms, p99" "$4" "<=" 900
    done < <(awk '/^shown as made/ { on = 1; getline; next } on && !/^club/ { exit } on' \
        "$scratch/table")
    echo
}

speed() {
    ${CARGO:-cargo} bench --quiet --bench core 2>/dev/null | grep '^core\.' | tee "$scratch/speed"
    ! grep -q 'FAIL$' "$scratch/speed" || has_failed=1
    echo
}

# What clocks do that are driven: any clock's answers, and quick games over bad lines.
clocks() {
    local passed=1 line
    ROKADE_DIALOGUES=${DIALOGUES:-10000} ${CARGO:-cargo} test --quiet --test it -- \
        clocks::babble >/dev/null 2>&1 || passed=0
    # Its lines say what failed.
    ROKADE_QUICK_GAMES=$games ${CARGO:-cargo} test --quiet --test it -- --nocapture \
        clocks::speed >"$scratch/clocks" 2>&1 || has_failed=1
    figure "any answers: never over 60 commands a minute, no wish lost" "$passed" "==" 1
    while read -r line; do
        printf '%s\n' "$line"
        [ "${line##* }" = PASS ] || has_failed=1
    done < <(grep '^clock: ' "$scratch/clocks")
    echo
}

# troubles_column ROWS N: column N after the name of the rows that fit, added up.
troubles_column() {
    awk -v rows="$1" -v n="$2" '$0 ~ rows { sub(/^.*[a-z]  +/, ""); sum += $n } END { print sum + 0 }' \
        "$scratch/table"
}

# Lines that are cut, joined late, noisy, or held up.
troubles() {
    play --games "$games" --manners blitz --laws m2023 --trouble cable --trouble join --trouble noise --trouble held
    local kind
    for kind in cable join noise held; do
        figure "$kind: half-moves on record that were not played" \
            "$(troubles_column "^blitz $kind" 2)" "==" 0
        figure "$kind: half-moves missing without a word" "$(troubles_column "^blitz $kind" 4)" "==" 0
        figure "$kind: innocent players accused" "$(troubles_column "^blitz $kind" 9)" "==" 0
    done
    figure "join: half-moves from the second on that are missing" \
        "$(troubles_column "^blitz join" 5)" "==" 0
    play --games "$games" --manners blitz --trouble loose
    figure "loose plug: half-moves on record that were not played, of $games games twice" \
        "$(troubles_column "^blitz loose" 2)" "<=" $((games * 2 * 5 / 100))
    play --games "$games" --manners blitz --trouble exchange
    figure "exchanged cables: half-moves on record that were not played, of $games games twice" \
        "$(troubles_column "^blitz exchange" 2)" "<=" $((games * 2 / 100))
    echo
}

# The same through the daemon.
live() {
    ROKADE_LIVE=${LIVE:-40} ${CARGO:-cargo} test --quiet --release --test it -- --nocapture live:: |
        sed -n 's/^live: /blitz /p' | tee "$scratch/table"
    local kind
    for kind in cable join noise held; do
        figure "live, $kind: half-moves on record that were not played" \
            "$(troubles_column "^blitz $kind" 2)" "==" 0
    done
    echo
}

rows=("$@")
[ "${#rows[@]}" -gt 0 ] || rows=(habits referee map shown clocks speed troubles live)
for row in "${rows[@]}"; do
    echo "== $row"
    "$row"
done
exit "$has_failed"
