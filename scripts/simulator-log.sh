# Sourced by scripts that judge by the simulator's log. They have set $pushctl, $work, connection and `fail` when they call this.
# shellcheck shell=bash disable=SC2154

# until_true COMMAND...: repeats the command until it succeeds, for two minutes at most.
until_true() {
    local end=$((SECONDS + 120))
    until "$@"; do
        ((SECONDS < end)) || fail "waited in vain: $*"
        sleep 0.05
    done
}

# Waits until the simulator's log has all that was processed so far: it is in this order, and here a push to a device of its own is the last.
markers=0
log_is_written() {
    local marker
    markers=$((markers + 1))
    marker=$(printf 'ffffffff%056x' "$markers")
    timeout --kill-after=2 120 "$pushctl" send "$marker" --body x --timeout 100 "${connection[@]}" >"$work/marker" 2>&1 </dev/null ||
        fail "the push that marks the log was not delivered: $(cat "$work/marker")"
    until_true grep -q "\"token\":\"$marker\"" "$work/log.jsonl"
}
