#!/usr/bin/env bash
# Kills `pushctl bulk --journal` with SIGKILL at random moments, resumes it until it is done, and compares its rows with what
# the simulator has processed.
#
#   scripts/kill-bulk.sh [KILLS]   100 when left out
#
# Of each campaign, whatever was killed: there is exactly one row for each record; nothing is pushed twice, except with
# --resend-unknown, and then with the same apns-id; nothing is called delivered that was not; every push that was processed is
# delivered or unknown; there are no more unknown rows than a window for each kill; the journal has nothing open or left.
# PUSHCTL=path uses that binary in place of a new build. SEED=number repeats the moments of a run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kills=${1:-100}
[[ $kills =~ ^[0-9]+$ ]] || {
    echo "usage: scripts/kill-bulk.sh [KILLS]" >&2
    exit 64
}
seed=${SEED:-$RANDOM}
RANDOM=$seed

records=20000
# As many streams of a connection as the simulator allows, and the library's reserve.
window=1256

work=$(mktemp -d "${TMPDIR:-/tmp}/kill-bulk.XXXXXX")
running=()

clean_up() {
    local status=$? process
    trap - EXIT INT TERM
    for process in ${running[@]+"${running[@]}"}; do kill -KILL "$process" 2>/dev/null || true; done
    for process in ${running[@]+"${running[@]}"}; do wait "$process" 2>/dev/null || true; done
    if ((status == 0)) || [[ -z ${KEEP:-} ]]; then rm -rf "$work"; else echo "kill-bulk: see $work" >&2; fi
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    echo "kill-bulk: campaign ${campaign:-none} ($*), SEED=$seed" >&2
    tail -n 5 "$work/errors" >&2 || true
    exit 1
}

# shellcheck source=scripts/simulator-log.sh
source "$root/scripts/simulator-log.sh"

pushctl=${PUSHCTL:-}
if [[ -z $pushctl ]]; then
    bash "$root/scripts/setup.sh"
    swift build --package-path "$root" --configuration release --product pushctl >&2
    pushctl=$(swift build --package-path "$root" --configuration release --show-bin-path)/pushctl
fi

printf '{"aps":{"alert":"Boarding"}}' >"$work/payload.json"
echo '{"rules": [{"when": "push", "then": {"delay": "20ms"}}]}' >"$work/script.json"
"$pushctl" simulate --credentials "$work/ca" --script "$work/script.json" --log "$work/log.jsonl" \
    >"$work/simulator.json" 2>"$work/errors" </dev/null &
running+=("$!")
until_true test -s "$work/simulator.json"
fact() { sed -nE "s/.*\"$1\":\"?([^\",]*).*/\1/p" "$work/simulator.json"; }
connection=(
    --host localhost --port "$(fact port)" --trust-roots "$(fact trust-roots)" --key "$(fact key)" --team-id "$(fact team-id)"
    --topic "$(fact topic)"
)

# Every hundredth record is not a token; the campaign's number begins the others.
input() {
    awk -v c="$1" -v n="$records" 'BEGIN {
        print "token"
        for (i = 1; i <= n; i++) if (i % 100 == 0) print "zz"; else printf "%08x%056x\n", c, i
    }'
}

# The moment is random in what a whole run takes, or in its first part: much happens there.
moment() {
    local most=$((RANDOM % 3 == 0 ? 60 : length))
    awk -v r="$RANDOM" -v most="$most" 'BEGIN { printf "%.3f", r / 32768 * most / 1000 }'
}

# Becomes the program, so that it is called in a shell of its own.
run() {
    exec "$pushctl" bulk "$work/input.csv" --payload "$work/payload.json" --outcomes "$work/rows.csv" --journal "$work/journal" \
        "${connection[@]}" "$@" >"$work/output" 2>"$work/errors" </dev/null
}

# Compares what the simulator has processed with the rows.
check() {
    local resends=$1 most=$((killed * window * $2)) prefix
    prefix=$(printf '%08x' "$campaign")
    log_is_written
    sed -nE "s/.*\"token\":\"($prefix[0-9a-f]*)\",\"apns_id\":\"([^\"]*)\".*\"status\":([0-9]+).*/\1 \2 \3/p" "$work/log.jsonl" |
        sort >"$work/processed"
    tail -n +2 "$work/rows.csv" | awk -F, '{ print $2, $6, $3, $5, $1 }' | sort >"$work/rows"
    tail -n +2 "$work/rows.csv" | cut -d, -f1 | sort -n >"$work/lines"
    cmp -s "$work/lines" <(seq 2 $((records + 1))) || fail "not one row for each record"
    awk 'NR == FNR { processed[$1, $2] = $3; next }
        $3 == "delivered" && processed[$1, $2] != 200 { print "delivered, but not processed:", $0; bad = 1 }
        $3 != "delivered" && $3 != "unknown" && ($1, $2) in processed { print "processed:", $0; bad = 1 }
        { row[$1] = $2 }
        END { exit bad }' "$work/processed" "$work/rows" >&2 || fail "a row that is not true"
    awk 'NR == FNR { row[$1] = $2; next } row[$1] != $2 { print "processed, without a row:", $0; bad = 1 }
        END { exit bad }' "$work/rows" "$work/processed" >&2 || fail "a push without a row"
    twice=$(cut -d' ' -f1 "$work/processed" | uniq -d | wc -l)
    unknown=$(awk '$3 == "unknown"' "$work/rows" | wc -l)
    ((unknown == 0)) || awk '$3 == "unknown" && $4 != "interrupted" { bad = 1 } END { exit bad }' "$work/rows" ||
        fail "unknown for another reason"
    if [[ $resends == yes ]]; then
        ((unknown == 0)) || fail "$unknown unknown, though pushed again"
        ((twice <= most)) || fail "$twice pushed twice"
    else
        ((twice == 0)) || fail "$twice pushed twice"
        ((unknown <= most)) || fail "$unknown unknown after $killed kills"
    fi
    "$pushctl" journal status "$work/journal" --json >"$work/status"
    grep -q '"open":0,"left":0' "$work/status" || fail "the journal says: $(cat "$work/status")"
    "$pushctl" journal outcomes "$work/journal" | cmp -s - "$work/rows.csv" || fail "journal outcomes has other rows"
}

flags=("" "--resend-unknown" "--fsync" "--rate 30000" "--resend-unknown --connections 2")
# How long a run takes, in milliseconds: measured by the first, which is not killed.
length=0
total=0
for ((campaign = 0; campaign == 0 || total < kills; campaign++)); do
    rm -f "$work"/rows.csv "$work"/journal*
    input "$campaign" >"$work/input.csv"
    read -ra extra <<<"${flags[campaign % ${#flags[@]}]}"
    killed=0 runs=0 began=$(date +%s%3N)
    while true; do
        status=0
        runs=$((runs + 1))
        if ((campaign == 0 || killed >= 8 || total + killed >= kills)); then
            (run ${extra[@]+"${extra[@]}"}) || status=$?
        else
            run ${extra[@]+"${extra[@]}"} &
            process=$!
            running+=("$process")
            sleep "$(moment)"
            kill -KILL "$process" 2>/dev/null || true
            wait "$process" 2>/dev/null || status=$?
        fi
        ((status == 137)) || break
        killed=$((killed + 1))
    done
    # Some records are not valid, and some pushes may be unknown.
    ((status == 1 || status == 2)) || fail "exit code $status"
    if ((campaign == 0)); then length=$(($(date +%s%3N) - began)); fi
    resends=no connections=1
    [[ " ${extra[*]-} " != *--resend-unknown* ]] || resends=yes
    [[ " ${extra[*]-} " != *--connections* ]] || connections=2
    check "$resends" "$connections"
    total=$((total + killed))
    printf 'kill-bulk: campaign %d (%s): %d kills, %d unknown, %d pushed twice\n' \
        "$campaign" "${extra[*]-}" "$killed" "$unknown" "$twice"
done
echo "kill-bulk: $total kills, all rows are true"
