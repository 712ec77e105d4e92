# shellcheck shell=bash disable=SC2154
# Cases of a queue in a file: what is not a queue, and signals while it is filled and worked.
# scripts/pushctl-cases.sh reads this file, and has the functions and variables that it uses.

case_foreign() {
    cp "$key" "$work/foreign.db"
    input f100 5 >"$work/foreign.csv"
    exits 78 "$pushctl" queue put "$work/foreign.csv" --title Hello --queue "$work/foreign.db"
    says "is not a queue"
    exits 78 "$pushctl" worker "${connection[@]}" --queue "$work/foreign.db"
    cmp -s "$key" "$work/foreign.db" || fail "a file that is not a queue was changed"
}

# standing WORD QUEUE: a number of the queue's status.
standing() { "$pushctl" queue status --json --queue "$2" | sed -nE "s/.*\"$1\":([0-9]+).*/\1/p"; }
is_standing() { (($(standing "$1" "$3") == $2)); }

has_a_row() { (($(rows "$1" | wc -l) > 0)); }

# A put that is stopped says where to go on. With that line, each token is in the queue once.
case_put() {
    local queue=$work/put.db line
    input f200 30000 >"$work/put.csv"
    mkfifo "$work/put.fifo"
    "$pushctl" queue put - --title Hello --queue "$queue" --ids <"$work/put.fifo" >"$work/put.output" 2>"$work/put.errors" &
    started=$!
    running+=("$started")
    exec 8>"$work/put.fifo"
    # More than one call puts. Its lines say what the first one has put.
    head -n 20001 "$work/put.csv" >&8
    until_true has_a_row "$work/put.output"
    kill -TERM "$started"
    ends "$started" 143
    exec 8>&-
    line=$(sed -nE 's/.*go on with --from-line ([0-9]+).*/\1/p' "$work/put.errors")
    [[ -n $line ]] || fail "it does not say where to go on"
    exits 0 "$pushctl" queue put "$work/put.csv" --title Hello --queue "$queue" --from-line "$line"
    work_off "$queue"
    equal f200 30000 "$queue"
}

# Its signals come twice, with pushes in flight. Another worker does the rest.
case_worker() {
    local queue=$work/worker.db
    input f300 3000 >"$work/worker.csv"
    exits 0 "$pushctl" queue put "$work/worker.csv" --title Hello --queue "$queue"
    start first worker --rate 1000 --queue "$queue" "${connection[@]}"
    until_true is_processed f300 200
    kill -TERM "$started" "$started"
    ends "$started" 143
    grep -q 'Nothing is left in doubt' "$work/first.errors" || fail "it does not say that nothing is left in doubt"
    is_standing taken 0 "$queue" || fail "a worker that has ended has entries"
    work_off "$queue"
    equal f300 3000 "$queue"
}

# work_off QUEUE: a worker pushes what there is, and ends.
work_off() {
    start rest worker --queue "$1" "${connection[@]}"
    until_true is_standing waiting 0 "$1"
    until_true is_standing taken 0 "$1"
    kill -TERM "$started"
    ends "$started" 143
}

# equal PREFIX COUNT QUEUE: the simulator and the queue's outcomes agree on this number of pushes, each token once.
equal() {
    local pushed stored
    log_is_written
    pushed=$(processed "$1")
    "$pushctl" queue outcomes --queue "$3" >"$work/outcomes.csv" 2>/dev/null
    stored=$(grep -o "$1[0-9a-f]\{60\}" "$work/outcomes.csv" | sort)
    (($(grep -c . <<<"$pushed") == $2 && $(sort -u <<<"$pushed" | wc -l) == $2)) ||
        fail "the simulator saw $(grep -c . <<<"$pushed") pushes to $(sort -u <<<"$pushed" | wc -l) of $2 devices"
    [[ $stored == "$pushed" ]] || fail "$(grep -c . <<<"$stored") outcomes for $2 pushes"
}
