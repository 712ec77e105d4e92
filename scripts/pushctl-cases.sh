#!/usr/bin/env bash
# What must never cost an outcome or a file: pushctl under signals that come twice, late or from a lost terminal, with a
# queue that is filled and worked meanwhile, and with outcomes that would replace a key, the input or an earlier campaign's
# rows. Against the simulator, in about a minute.
#
#   scripts/pushctl-cases.sh [CASE...]   all cases, or those named
#
# ROUNDS=10 does the cases of signals that come twice so often; 3 when left out.
# After each run under a signal the simulator's log is compared with the rows: every push that it processed has one.
# PUSHCTL=path uses that binary in place of a new build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
all=(twice wrapper hangup nohup insisting idle send simulator demo existing inputs streams redirected accepted log descriptors foreign put worker)

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
    echo "pushctl-cases: ROUNDS=$rounds is not a number from 1 to 99" >&2
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

# shellcheck source=scripts/simulator-log.sh
source "$root/scripts/simulator-log.sh"

has_ended() { ! kill -0 "$1" 2>/dev/null; }
# ends_by SIGNAL PID: sends the signal. To be repeated: one within a second of the first counts for nothing.
ends_by() {
    kill "-$1" "$2" 2>/dev/null || true
    has_ended "$2"
}

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
    timeout --kill-after=2 120 "$@" >"$work/output" 2>"$work/errors" </dev/null || status=$?
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
    log_is_written
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
    read=$(sed -nE 's/.* ([0-9,]+) records have their outcomes\..*/\1/p' "$2" | tr -d ,)
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

# shellcheck source=/dev/null
for cases in "$root"/scripts/cases/*.sh; do source "$cases"; done

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
