#!/usr/bin/env bash
# What the push inbox costs: processor time of the simulator for each push, without an inbox, with one, and with one whose event stream is
# read; pushes a second in the last case; and its memory over time.
#
#   Benchmarks/inbox.sh [--rounds N] [--pushes N] [--minutes N] [--rate N]    default: 3 rounds of 100,000 pushes, no minutes
#
# --minutes pushes for so long beside a reader, and prints the resident memory every minute and how many pushes came; with --rate at most so
# many a second. PUSHCTL names a pushctl with the trait Server; by
# default it is built for speed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rounds=3 pushes=100000 minutes=0 rate=
while (($# > 0)); do
    case $1 in
    --rounds) rounds=${2:?} && shift 2 ;;
    --pushes) pushes=${2:?} && shift 2 ;;
    --minutes) minutes=${2:?} && shift 2 ;;
    --rate) rate=${2:?} && shift 2 ;;
    *) sed -n '5p' "${BASH_SOURCE[0]}" >&2 && exit 64 ;;
    esac
done
if [[ -z ${PUSHCTL:-} ]]; then
    swift build --package-path "$root" -c release --traits Server --product pushctl >&2
    PUSHCTL=$(swift build --package-path "$root" -c release --show-bin-path)/pushctl
fi
PUSHCTL=$(realpath "$PUSHCTL")

work=$(mktemp -d)
simulator='' reader=''
clean_up() {
    kill ${reader:+"$reader"} ${simulator:+"$simulator"} 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT
cd "$work"
# devices COUNT: a file of device tokens.
devices() {
    echo token
    seq 1 "$1" | awk '{ printf "%064x\n", $1 }'
}
devices "$pushes" >tokens.csv
echo '{"aps":{"alert":{"title":"Gate","body":"Flight A998 is boarding at B12"}}}' >payload.json

# start FLAG…: a simulator, and a reader of its events if the first word is "read".
start() {
    local reads=
    if [[ ${1:-} == read ]]; then reads=yes && shift; fi
    "$PUSHCTL" simulate "$@" --write-config push.json >said 2>errors &
    simulator=$!
    for ((try = 0; try < 100; try++)); do if [[ -s push.json ]]; then break; else sleep 0.1; fi; done
    if [[ -n $reads ]]; then
        curl -sN "$(sed -n 's/.*"inbox":"\([^"]*\)".*/\1/p' said)/v1/events" >/dev/null &
        reader=$!
    fi
}
stop() {
    kill ${reader:+"$reader"} "$simulator" 2>/dev/null || true
    wait "$simulator" 2>/dev/null || true
    simulator='' reader=''
    rm -f push.json
}
# bulk FLAG…: pushes to all of them.
bulk() {
    rm -f outcomes.csv
    "$PUSHCTL" bulk tokens.csv --payload payload.json --outcomes outcomes.csv --config push.json "$@" >/dev/null 2>&1
}
# Of a process: user and system, in hundredths of a second.
spent() { awk '{ print $14 + $15 }' "/proc/$simulator/stat"; }

printf '| simulator | µs of processor time a push | pushes/s |\n|---|--:|--:|\n'
for ((round = 0; round < rounds; round++)); do
    for mode in '' '--inbox 127.0.0.1:0' 'read --inbox 127.0.0.1:0'; do
        # shellcheck disable=SC2086
        start $mode
        before=$(spent) began=$(date +%s%N)
        bulk
        after=$(spent) ended=$(date +%s%N)
        stop
        awk -v mode="${mode:-plain}" -v ticks=$((after - before)) -v pushes="$pushes" -v ns=$((ended - began)) \
            'BEGIN { printf "| %s | %.2f | %d |\n", mode, ticks * 10000 / pushes, pushes / (ns / 1e9) }'
    done
done

if ((minutes > 0)); then
    flags=() pushed=0
    if [[ -n $rate ]]; then
        # Five seconds each, so that a minute is about a minute.
        pushes=$((rate * 5)) flags=(--rate "$rate")
        devices "$pushes" >tokens.csv
    fi
    start read --inbox 127.0.0.1:0
    for ((minute = 1; minute <= minutes; minute++)); do
        end=$((SECONDS + 60))
        while ((SECONDS < end)); do bulk "${flags[@]}" && pushed=$((pushed + pushes)); done
        awk -v minute="$minute" -v pushed="$pushed" \
            '/VmRSS/ { printf "minute %d: %d MiB after %d pushes\n", minute, $2 / 1024, pushed }' "/proc/$simulator/status"
    done
    stop
fi
