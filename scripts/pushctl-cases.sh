#!/usr/bin/env bash
# What must never cost an outcome or a file: pushctl under signals that come twice, late or from a lost terminal, and with
# outcomes that would replace a key, the input or an earlier campaign's rows. Against the simulator, in under a minute.
#
#   scripts/pushctl-cases.sh [CASE...]   all cases, or those named
#
# ROUNDS=10 does the cases of signals that come twice so often; 3 when left out.
# After each run under a signal the simulator's log is compared with the rows: every push that it processed has one.
# PUSHCTL=path uses that binary in place of a new build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
all=(twice wrapper hangup nohup insisting idle send simulator demo existing inputs streams redirected accepted log descriptors)

chosen=("$@")
((${#chosen[@]} > 0)) || chosen=("${all[@]}")
for name in "${chosen[@]}"; do
    [[ " ${all[*]} " == *" $name "* ]] || {
        echo "pushctl-cases: no case is called $name; cases: ${all[*]}" >&2
        exit 64
    }
done

rounds=${ROUNDS:-3}
[[ $rounds =~ ^[1-9][0-9]?$ ]] || {
    echo "pushctl-cases: ROUNDS=$rounds is no number from 1 to 99" >&2
    exit 64
}
work=$(mktemp -d "${TMPDIR:-/tmp}/pushctl-cases.XXXXXX")
running=()

clean_up() {
    local status=$? process
    trap - EXIT INT TERM
    for process in ${running[@]+"${running[@]}"}; do
        # With its group, where it has one of its own.
        kill -KILL -- "-$process" 2>/dev/null || kill -KILL "$process" 2>/dev/null || true
    done
    # Reaped here, or the shell would tell of each.
    for process in ${running[@]+"${running[@]}"}; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    echo "pushctl-cases: $case_name: $*" >&2
    tail -n 20 "$work"/*rrors >&2
    exit 1
}

# until COMMAND...: repeats the command until it succeeds, for twenty seconds at most.
until_true() {
    local tries
    for ((tries = 0; tries < 400; tries++)); do
        if "$@"; then return; fi
        sleep 0.05
    done
    fail "waited in vain: $*"
}

has_ended() { ! kill -0 "$1" 2>/dev/null; }

# ends PID STATUS: waits for a process of ours and compares its exit code.
ends() {
    local status=0
    until_true has_ended "$1"
    wait "$1" || status=$?
    ((status == $2)) || fail "exit code $status instead of $2"
}

# exits STATUS COMMAND...: runs a command to its end, its output in $work/output and $work/errors.
exits() {
    local expected=$1 status=0
    shift
    timeout --kill-after=2 20 "$@" >"$work/output" 2>"$work/errors" </dev/null || status=$?
    ((status == expected)) || fail "exit code $status instead of $expected: ${*:1:3}"
}

says() { grep -q -- "$1" "$work/errors" || fail "standard error does not say: $1"; }

# input PREFIX COUNT: a CSV whose tokens begin with the prefix, four hexadecimal digits.
input() { awk -v prefix="$1" -v n="$2" 'BEGIN { print "token"; for (i = 1; i <= n; i++) printf "%s%060x\n", prefix, i }'; }

processed() { grep -o "\"token\":\"$1[0-9a-f]*" "$work/log.jsonl" | cut -d'"' -f4 | sort; }
# is_processed PREFIX [COUNT]
is_processed() { (($(processed "$1" | wc -l) >= ${2:-1})); }
rows() { tail -n +2 "$1"; }
has_rows() { (($(rows "$1" | wc -l) == $2)); }

# compare PREFIX OUTCOMES, the prefix an expression of grep: every push that the simulator processed has one row, and none is called delivered that it has not.
compare() {
    local twice lost invented
    # The log is written several times a second.
    sleep 0.2
    twice=$(rows "$2" | cut -d, -f1 | sort | uniq -d | wc -l)
    lost=$(comm -13 <(rows "$2" | awk -F, '$9 != "not_sent" { print $2 }' | sort) <(processed "$1") | wc -l)
    invented=$(comm -23 <(rows "$2" | awk -F, '$9 == "answered" { print $2 }' | sort) <(processed "$1") | wc -l)
    ((twice == 0 && lost == 0 && invented == 0)) ||
        fail "$(processed "$1" | wc -l) processed, $(rows "$2" | wc -l) rows: $lost without a row, $twice lines twice," \
            "$invented delivered to nobody"
}

# as_read OUTCOMES ERRORS: as many rows as standard error says that records were read.
as_read() {
    local read
    read=$(sed -nE 's/.* ([0-9,]+) records have their outcomes\./\1/p' "$2" | tr -d ,)
    [[ -n $read ]] || fail "standard error does not say where reading stopped"
    (($(rows "$1" | wc -l) == read)) || fail "$(rows "$1" | wc -l) rows for $read records"
}

# start NAME ARGUMENTS...: runs pushctl in the background with nothing ignored; its process is $started.
start() {
    local name=$1
    shift
    env --default-signal=INT,TERM,HUP "$pushctl" "$@" >"$work/$name.output" 2>"$work/$name.errors" </dev/null &
    started=$!
    running+=("$started")
}

bulk() { printf '%s\n' bulk "$@" --payload "$work/payload.json" "${connection[@]}"; }

# campaign NAME PREFIX COUNT FLAGS...: starts a bulk, and waits until the simulator has seen something of it.
campaign() {
    local name=$1 prefix=$2 count=$3
    shift 3
    input "$prefix" "$count" >"$work/$name.csv"
    start "$name" bulk "$work/$name.csv" --outcomes "$work/$name.rows" --payload "$work/payload.json" \
        "${connection[@]}" "$@"
    until_true is_processed "$prefix"
}

# MARK: Signals

# GNU timeout sends the signal to its child and to the child's group: twice, microseconds apart.
case_twice() {
    local run prefix outcomes limit=1
    for ((run = 1; run <= rounds; run++)); do
        prefix=$(printf 'a%02d0' "$run")
        outcomes=$work/twice$run.rows
        input "$prefix" 100000 >"$work/twice.csv"
        # On a busy machine the signals may come before anything is under way.
        while
            rm -f "$outcomes"
            exits 124 timeout "$limit" "$pushctl" bulk "$work/twice.csv" --outcomes "$outcomes" --rate 2000 \
                --payload "$work/payload.json" "${connection[@]}"
            sleep 0.2
            ! is_processed "$prefix"
        do
            ((limit < 16)) || fail "nothing is pushed within $limit s"
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
        input "$prefix" 20000 >"$work/wrapper.csv"
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
    campaign hangup c000 20000 --rate 2000
    kill -HUP "$started"
    ends "$started" 129
    grep -q 'stopped by SIGHUP' "$work/hangup.errors" || fail "it does not say why it stopped"
    as_read "$work/hangup.rows" "$work/hangup.errors"
    compare c000 "$work/hangup.rows"
}

case_nohup() {
    input c100 600 >"$work/nohup.csv"
    nohup "$pushctl" bulk "$work/nohup.csv" --rate 600 --outcomes "$work/nohup.rows" --payload "$work/payload.json" \
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
    local name=$1 lead=$2 prefix=$3 began
    shift 3
    # The first one is answered: until then a server takes no other.
    (input "$lead" 1 && input "$prefix" 50 | tail -n +2) >"$work/$name.csv"
    start "$name" bulk "$work/$name.csv" --outcomes "$work/$name.rows" --payload "$work/payload.json" \
        "${connection[@]}" "$@"
    until_true is_processed "$prefix" 50
    until_true grep -q ,delivered, "$work/$name.rows"
    kill -INT "$started"
    # Ones that come too soon count for nothing.
    kill -INT "$started"
    sleep 0.3
    kill -TERM "$started"
    sleep 1
    has_ended "$started" && fail "a signal that came too soon ended it"
    began=$SECONDS
    kill -INT "$started"
    ends "$started" 130
    ((SECONDS - began <= 4)) || fail "it went on after the second signal"
    grep -q 'stopping: 50 pushes under way, up to 10 s; Ctrl-C once more' "$work/$name.errors" ||
        fail "it does not say what it waits for"
    as_read "$work/$name.rows" "$work/$name.errors"
    compare "\\($lead\\|$prefix\\)" "$work/$name.rows"
    (($(grep -c ',unknown,,cancelled,' "$work/$name.rows") == 50)) || fail "what was in flight is not unknown"
}

# Nothing is under way: one signal is enough, and there is nothing to say of waiting.
case_idle() {
    mkfifo "$work/idle.fifo"
    (input d100 5 && exec sleep 60) >"$work/idle.fifo" &
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
    start send send "d200$(printf '%060d' 0)" --body x --timeout 60 "${connection[@]}"
    until_true is_processed d200
    kill -TERM "$started"
    sleep 1.1
    kill -TERM "$started"
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
    kill -INT "$started"
    kill -INT "$started"
    ends "$started" 130
    grep -q '^It adds up' "$work/demo.output" || fail "it does not add up"
}

# MARK: Files

case_existing() {
    local before
    input e000 20 >"$work/existing.csv"
    mapfile -t command < <(bulk "$work/existing.csv" --outcomes "$work/existing.rows")
    (umask 000 && exits 0 "$pushctl" "${command[@]}")
    [[ $(stat -c %a "$work/existing.rows") == 600 ]] || fail "others can read the outcomes"
    before=$(cat "$work/existing.rows")
    exits 64 "$pushctl" "${command[@]}"
    says "add --append or --overwrite"
    [[ $(cat "$work/existing.rows") == "$before" ]] || fail "the earlier rows are gone"
    exits 0 "$pushctl" "${command[@]}" --append
    (($(wc -l <"$work/existing.rows") == 41)) || fail "--append: not one header and 40 rows"
    (($(grep -c '^line,' "$work/existing.rows") == 1)) || fail "--append: a second header"
    exits 0 "$pushctl" "${command[@]}" --overwrite
    (($(wc -l <"$work/existing.rows") == 21)) || fail "--overwrite: not one header and 20 rows"
    echo notes >"$work/notes"
    mapfile -t command < <(bulk "$work/existing.csv" --outcomes "$work/notes" --append)
    exits 64 "$pushctl" "${command[@]}"
    [[ $(cat "$work/notes") == notes ]] || fail "--append: written to another kind of file"
    # Another run has it.
    campaign locked e100 2000 --rate 500
    mapfile -t command < <(bulk "$work/existing.csv" --outcomes "$work/locked.rows" --append)
    exits 64 "$pushctl" "${command[@]}"
    says "another run is writing"
    kill -TERM "$started"
    ends "$started" 143
    compare e100 "$work/locked.rows"
}

# No file that the command reads, by whatever name, and whatever else is said.
case_inputs() {
    local file
    input e200 5 >"$work/inputs.csv"
    ln -s "$key" "$work/symbolic"
    ln "$key" "$work/hard"
    cp -r "$work/ca" "$work/untouched"
    for file in "$key" "$work/symbolic" "$work/hard" "$work/ca/ca.pem" "$work/payload.json" "$work/inputs.csv"; do
        mapfile -t command < <(bulk "$work/inputs.csv" --outcomes "$file" --overwrite)
        exits 64 "$pushctl" "${command[@]}"
        says "outcomes names "
    done
    diff -r "$work/ca" "$work/untouched" >&2 || fail "a credential was changed"
    [[ $(cat "$work/payload.json") == '{"aps"'* ]] || fail "the payload was changed"
    input e200 5 | cmp - "$work/inputs.csv" || fail "the input was changed"
}

# What is read through standard input is a file of the command as well, and one that was a pipe is not read twice.
case_streams() {
    local status=0
    input e250 5 >"$work/streams.csv"
    cp "$work/payload.json" "$work/streams.json"
    timeout 20 "$pushctl" bulk "$work/streams.csv" --payload - "${connection[@]}" --outcomes "$work/streams.json" \
        --overwrite <"$work/streams.json" >"$work/output" 2>"$work/errors" || status=$?
    ((status == 64)) || fail "exit code $status instead of 64"
    cmp -s "$work/payload.json" "$work/streams.json" || fail "the payload is gone"
    mkfifo "$work/config"
    echo '{"topic": "com.example.app"}' >"$work/config" &
    exits 0 "$pushctl" bulk "$work/streams.csv" --payload "$work/payload.json" "${connection[@]}" --config "$work/config"
    # Nothing comes from a pipe that stays open: one signal ends the waiting.
    mkfifo "$work/silent"
    sleep 20 >"$work/silent" &
    running+=($!)
    "$pushctl" bulk "$work/streams.csv" --payload - "${connection[@]}" <"$work/silent" >"$work/output" 2>"$work/errors" &
    started=$!
    running+=("$started")
    sleep 0.5
    kill -TERM "$started"
    ends "$started" 143
}

case_redirected() {
    input e300 5 >"$work/redirected.csv"
    local status
    mapfile -t command < <(bulk "$work/redirected.csv")
    status=0
    timeout 20 "$pushctl" "${command[@]}" >>"$work/redirected.csv" 2>"$work/errors" </dev/null || status=$?
    ((status == 64)) || fail "exit code $status instead of 64"
    says "standard output goes to the input itself"
    mapfile -t command < <(bulk -)
    status=0
    timeout 20 "$pushctl" "${command[@]}" <"$work/redirected.csv" >>"$work/redirected.csv" 2>"$work/errors" || status=$?
    ((status == 64)) || fail "exit code $status instead of 64"
    input e300 5 | cmp - "$work/redirected.csv" || fail "the input was changed"
    # Where it is wanted, - is standard output.
    mapfile -t command < <(bulk "$work/redirected.csv" --outcomes -)
    exits 0 "$pushctl" "${command[@]}"
    (($(wc -l <"$work/output") == 6)) || fail "--outcomes - does not write to standard output"
}

# The file is made once there is something to push, and way and credential make sense.
case_accepted() {
    echo token >"$work/header.csv"
    input e400 5 >"$work/accepted.csv"
    echo kept >"$work/kept"
    mapfile -t command < <(bulk "$work/header.csv" --outcomes "$work/never.rows")
    exits 66 "$pushctl" "${command[@]}"
    mapfile -t command < <(bulk "$work/header.csv" --outcomes "$work/kept" --overwrite)
    exits 66 "$pushctl" "${command[@]}"
    mapfile -t command < <(bulk "$work/accepted.csv" --outcomes "$work/never.rows" --no-such-flag j)
    exits 64 "$pushctl" "${command[@]}"
    mapfile -t command < <(bulk "$work/accepted.csv" --outcomes "$work/kept" --overwrite)
    exits 78 "$pushctl" "${command[@]}" --key "$work/payload.json" --key-id ABC123DEFG
    [[ ! -e $work/never.rows && $(cat "$work/kept") == kept ]] || fail "a file was made or emptied"
}

case_log() {
    exits 64 "$pushctl" simulate --credentials "$work/ca" --log "$work/log.jsonl"
    says "add --append or --overwrite"
    exits 64 "$pushctl" simulate --credentials "$work/ca" --log "$key" --overwrite
    exits 64 "$pushctl" simulate --script "$work/script.json" --log "$work/script.json" --overwrite
    exits 64 "$pushctl" simulate --credentials "$work/ca" --log "$work/log.jsonl" --append
    says "another run is writing"
}

# Nothing is written into a socket that got the number of a closed descriptor; and rows that go nowhere are no success.
case_descriptors() {
    local status=0
    input e500 50 >"$work/closed.csv"
    mapfile -t command < <(bulk "$work/closed.csv" --outcomes "$work/closed.rows")
    timeout 20 "$pushctl" "${command[@]}" <&- >&- 2>&- || status=$?
    ((status == 2)) || fail "exit code $status instead of 2, as the summary could not be written"
    (($(grep -c ',delivered,200,' "$work/closed.rows") == 50)) || fail "rows are missing"
    compare e500 "$work/closed.rows"
    status=0
    mapfile -t command < <(bulk "$work/closed.csv")
    timeout 20 "$pushctl" "${command[@]}" <&- >&- 2>"$work/errors" || status=$?
    ((status == 2)) || fail "exit code $status instead of 2, as rows could not be written"
    says "cannot write standard output"
    status=0
    timeout 20 "$pushctl" bulk - --payload "$work/payload.json" "${connection[@]}" <&- >"$work/output" 2>"$work/errors" ||
        status=$?
    ((status == 66)) || fail "exit code $status instead of 66"
}

# MARK: The stage

case_name=setup
pushctl=${PUSHCTL:-}
if [[ -z $pushctl ]]; then
    bash "$root/scripts/setup.sh"
    echo "pushctl-cases: building pushctl" >&2
    swift build --package-path "$root" --configuration release --product pushctl >&2
    pushctl=$(swift build --package-path "$root" --configuration release --show-bin-path)/pushctl
fi

printf '{"aps":{"alert":"Boarding"}}' >"$work/payload.json"
# Answers take a while, so that pushes are in flight when a signal comes; those to d0… and d2… never come.
cat >"$work/script.json" <<'END'
{
  "rules": [
    { "when": { "pushTo": "d0" }, "then": "hold" },
    { "when": { "pushTo": "d2" }, "then": "hold" },
    { "when": "push", "then": { "delay": "200ms" } }
  ]
}
END
env --default-signal=INT,TERM "$pushctl" simulate --credentials "$work/ca" --script "$work/script.json" \
    --log "$work/log.jsonl" >"$work/simulator.json" 2>"$work/errors" </dev/null &
simulator=$!
running+=("$simulator")
until_true test -s "$work/simulator.json"
fact() { sed -nE "s/.*\"$1\":\"?([^\",]*).*/\1/p" "$work/simulator.json"; }
key=$(fact key)
connection=(
    --host localhost --port "$(fact port)" --trust-roots "$(fact trust-roots)" --key "$key" --team-id "$(fact team-id)"
    --topic "$(fact topic)"
)

for case_name in "${chosen[@]}"; do
    began=$SECONDS
    "case_$case_name"
    printf 'pushctl-cases: %-12s passed, about %s s\n' "$case_name" "$((SECONDS - began))"
done

case_name=simulator
kill -TERM "$simulator"
ends "$simulator" 143
echo "pushctl-cases: all passed"
