#!/usr/bin/env bash
# An outage of APNs with a queue, at a thousandth of the size that docs/scale.md calculates: 1,100 tokens a second, a link
# that takes at most 1,890, and 30 s without APNs. Prints the largest backlog, and how long it took to go.
# PUSHCTL names the program; QUEUE is where the queue is: a new file when left out.
set -euo pipefail

pushctl=${PUSHCTL:-pushctl}
rate=1100
. "$(dirname "${BASH_SOURCE[0]}")/processes.sh"
queue=${QUEUE:-$work/pushes.db}

cat >"$work/script.json" <<'END'
{ "rules": [
  { "name": "few streams", "when": { "push": 1 }, "then": { "settings": { "maxConcurrentStreams": 100 } } },
  { "name": "far away", "when": "push", "then": { "delay": "50ms" } },
  { "name": "gone", "when": { "at": "20s" }, "then": { "cut": "rst" } },
  { "name": "closed", "when": "connecting", "between": ["20s", "50s"], "then": { "cut": "rst" } }
] }
END
"$pushctl" simulate --write-config "$work/config.json" --script "$work/script.json" >/dev/null 2>"$work/simulator.log" </dev/null &
started+=("$!")
until [[ -s $work/config.json ]]; do sleep 0.1; done
awk -v count="$rate" 'BEGIN { print "token"; for (i = 0; i < count; i++) printf "%064x\n", i + 1 }' >"$work/tokens.csv"
put() { "$pushctl" queue put "$work/tokens.csv" --queue "$queue" --title 'Flight A998' --body Boarding >/dev/null 2>&1; }
put
"$pushctl" worker --queue "$queue" --config "$work/config.json" >/dev/null 2>"$work/worker.log" </dev/null &
started+=("$!")

begin=$(date +%s%N)
largest=0
drained=-
for ((second = 1; second <= 150; second++)); do
    put
    status=$("$pushctl" queue status --queue "$queue" --json)
    waiting=$(sed -n 's/.*"waiting":\([0-9]*\).*/\1/p' <<<"$status")
    ((waiting <= largest)) || largest=$waiting
    printf '%s %s\n' "$second" "$waiting" >>"$work/backlog"
    if ((second > 50)) && ((waiting <= 5)); then
        drained=$((second - 50))
        break
    fi
    now=$(date +%s%N)
    ahead=$(((begin + second * 1000000000 - now) / 1000000))
    ((ahead <= 0)) || sleep "$(printf '%d.%03d' $((ahead / 1000)) $((ahead % 1000)))"
done
# An entry has 256 tokens, the last one of each second fewer: 5 entries are 1,100 tokens.
echo "largest backlog: $((largest * rate / 5)) tokens; drained after $drained s"
tail -n 2 "$work/worker.log"
