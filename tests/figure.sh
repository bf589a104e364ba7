# For scripts beside it that print tables of figures: sourced, not run.

has_failed=0

# figure WHAT VALUE RELATION TARGET: a line, and whether it holds. No VALUE holds nothing.
figure() {
    local verdict=PASS
    awk "BEGIN { exit !(\"$2\" != \"\" && $2 + 0 $3 $4) }" || verdict=FAIL
    [ "$verdict" = PASS ] || has_failed=1
    printf '%-60s %10s  %s %s  %s\n' "$1" "$2" "$3" "$4" "$verdict"
}
