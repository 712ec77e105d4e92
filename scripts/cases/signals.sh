# shellcheck shell=bash disable=SC2154
# Cases of signals: from a terminal, a wrapper or a time limit, twice, or late.
# scripts/pushctl-cases.sh reads this file, and has the functions and variables that it uses.

# GNU timeout sends the signal to its child and to the child's group: twice, microseconds apart.
case_twice() {
    local run try prefix outcomes limit=1
    for ((run = 1; run <= rounds; run++)); do
        outcomes=$work/twice$run.rows
        # On a busy machine the signals may come before anything is under way. Each try has devices of its own.
        try=0
        while
            prefix=$(printf 'a%02d%d' "$run" "$try")
            try=$((try + 1))
            input "$prefix" 100000 >"$work/twice.csv"
            rm -f "$outcomes"
            exits 124 timeout "$limit" "$pushctl" bulk "$work/twice.csv" --outcomes "$outcomes" --rate 2000 \
                --payload "$work/payload.json" "${connection[@]}"
            log_is_written
            ! is_processed "$prefix"
        do
            ((limit < 32)) || fail "nothing is pushed within $limit s"
            limit=$((limit * 2))
        done
        says "Reading stopped before line"
        as_read "$outcomes" "$work/errors"
        compare "$prefix" "$outcomes"
    done
}

# A wrapper that forwards what the terminal has sent to the whole group already.
case_wrapper() {
    cat >"$work/wrapper.sh" <<'END'
"$@" &
program=$!
trap 'kill -INT "$program"' INT
wait "$program"
wait "$program"
END
    local run prefix wrapper
    for ((run = 1; run <= rounds; run++)); do
        prefix=$(printf 'b%02d0' "$run")
        input "$prefix" 100000 >"$work/wrapper.csv"
        env --default-signal=INT setsid bash "$work/wrapper.sh" "$pushctl" bulk "$work/wrapper.csv" --rate 2000 \
            --outcomes "$work/wrapper$run.rows" --payload "$work/payload.json" "${connection[@]}" \
            >"$work/output" 2>"$work/errors" </dev/null &
        wrapper=$!
        running+=("$wrapper")
        until_true is_processed "$prefix"
        kill -INT -- "-$wrapper"
        ends "$wrapper" 130
        says "stopped by SIGINT"
        as_read "$work/wrapper$run.rows" "$work/errors"
        compare "$prefix" "$work/wrapper$run.rows"
    done
}

case_hangup() {
    campaign hangup c000 100000 --rate 2000
    kill -HUP "$started"
    ends "$started" 129
    grep -q 'stopped by SIGHUP' "$work/hangup.errors" || fail "it does not say why it stopped"
    as_read "$work/hangup.rows" "$work/hangup.errors"
    compare c000 "$work/hangup.rows"
}

case_nohup() {
    input c100 600 >"$work/nohup.csv"
    nohup "$pushctl" bulk "$work/nohup.csv" --rate 60 --outcomes "$work/nohup.rows" --payload "$work/payload.json" \
        "${connection[@]}" >"$work/output" 2>"$work/errors" </dev/null &
    local program=$!
    running+=("$program")
    until_true is_processed c100
    kill -HUP "$program"
    ends "$program" 0
    (($(rows "$work/nohup.rows" | wc -l) == 600)) || fail "it stopped"
}

# Pushes to d0… are never answered: only the second signal ends them. Over one connection, and over a pool.
case_insisting() {
    insist one c200 d000
    insist pool c300 d010 --connections 3
}

# insist NAME LEAD PREFIX FLAGS...
insist() {
    local name=$1 lead=$2 prefix=$3 began second=1000000000
    shift 3
    # The first one is answered: until then a server takes no other.
    (input "$lead" 1 && input "$prefix" 50 | tail -n +2) >"$work/$name.csv"
    start "$name" bulk "$work/$name.csv" --outcomes "$work/$name.rows" --payload "$work/payload.json" \
        "${connection[@]}" --timeout 300 --drain 300 "$@"
    until_true is_processed "$prefix" 50
    until_true grep -q ,delivered, "$work/$name.rows"
    began=$(date +%s%N)
    kill -INT "$started"
    # Ones within a second of the first count for nothing. Later than that nothing is judged: the program goes by its own clock.
    kill -INT "$started"
    # Of two kinds that wait at once, either may be heard first.
    until_true grep -q 'stopping: ' "$work/$name.errors"
    while ! ends_by TERM "$started" && (($(date +%s%N) - began < second)); do sleep 0.05; done
    ! has_ended "$started" || (($(date +%s%N) - began >= second)) || fail "a signal that came too soon ended it"
    # Before the pushes have timed out, and before the time to drain is over.
    until_true ends_by INT "$started"
    ends "$started" 130
    grep -q 'stopping: 50 pushes under way, up to 300 s; Ctrl-C once more' "$work/$name.errors" ||
        fail "it does not say what it waits for"
    as_read "$work/$name.rows" "$work/$name.errors"
    compare "\\($lead\\|$prefix\\)" "$work/$name.rows"
    (($(grep -c ',unknown,,cancelled,' "$work/$name.rows") == 50)) || fail "what was in flight is not unknown"
}

# Nothing is under way: one signal is enough, and there is nothing to say of waiting.
case_idle() {
    mkfifo "$work/idle.fifo"
    (input d100 5 && exec sleep 300) >"$work/idle.fifo" &
    local feeder=$!
    running+=("$feeder")
    start idle bulk "$work/idle.fifo" --payload "$work/payload.json" "${connection[@]}"
    until_true has_rows "$work/idle.output" 5
    kill -TERM "$started"
    ends "$started" 143
    ! grep -q 'stopping: ' "$work/idle.errors" || fail "it waited for nothing"
    has_rows "$work/idle.output" 5 || fail "rows are missing"
    kill "$feeder"
}

case_send() {
    start send send "d200$(printf '%060d' 0)" --body x --timeout 300 --drain 300 "${connection[@]}"
    until_true is_processed d200
    kill -TERM "$started"
    until_true ends_by TERM "$started"
    ends "$started" 143
    grep -q '^outcome   unknown' "$work/send.output" || fail "no outcome"
    grep -q 'stopping: 1 push under way' "$work/send.errors" || fail "it does not say what it waits for"
}

case_simulator() {
    local signal status
    mkdir "$work/tmp"
    for signal in TERM INT HUP; do
        TMPDIR=$work/tmp start "SIG$signal" simulate
        until_true test -s "$work/SIG$signal.output"
        [[ -n $(ls "$work/tmp") ]] || fail "no temporary folder"
        kill "-$signal" "$started"
        kill "-$signal" "$started" 2>/dev/null || true
        case $signal in TERM) status=143 ;; INT) status=130 ;; HUP) status=129 ;; esac
        ends "$started" "$status"
        grep -q '0 pushes processed' "$work/SIG$signal.errors" || fail "SIG$signal: it does not say what it did"
        [[ -z $(ls "$work/tmp") ]] || fail "SIG$signal: keys stay behind in $(ls "$work/tmp")"
    done
}

case_demo() {
    start demo demo --pushes 2000000
    until_true grep -q pushing "$work/demo.errors"
    kill -INT "$started" "$started"
    ends "$started" 130
    grep -q '^It adds up' "$work/demo.output" || fail "it does not add up"
}
