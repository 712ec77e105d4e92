#!/usr/bin/env bash
# What a queue costs its Redis server: processor time, memory and log, with entries of one token and of 256. Prints a
# Markdown table. PUSHCTL names the program; TOKENS is how many tokens each row has.
set -euo pipefail

pushctl=${PUSHCTL:-pushctl}
tokens=${TOKENS:-200000}
port=${PORT:-6399}
. "$(dirname "${BASH_SOURCE[0]}")/processes.sh"

redis-server --port "$port" --dir "$work" --save '' --appendonly yes --appendfsync everysec --auto-aof-rewrite-percentage 0 \
    --maxmemory-policy noeviction --logfile "$work/redis.log" &
started+=("$!")
until redis-cli -p "$port" ping >/dev/null 2>&1; do sleep 0.1; done
"$pushctl" simulate --write-config "$work/config.json" >/dev/null 2>"$work/simulator.log" </dev/null &
started+=("$!")
until [[ -s $work/config.json ]]; do sleep 0.1; done

# The server's processor time in microseconds, its memory, the size of its log.
figures() {
    redis-cli -p "$port" info everything | tr -d '\r' | awk -F: '
        /^used_cpu_(sys|user):/ { cpu += $2 * 1000000 }
        /^used_memory:/ { memory = $2 }
        /^aof_current_size:/ { log_size = $2 }
        END { printf "%.0f %d %d", cpu, memory, log_size }'
}

# row LABEL BEFORE AFTER: what was spent for each token between two figures.
row() {
    awk -v label="$1" -v tokens="$tokens" -v before="$2" -v after="$3" 'BEGIN {
        split(before, b, " "); split(after, a, " ")
        printf "| %s | %.2f | %.0f | %.0f |\n", label, (a[1] - b[1]) / tokens, (a[2] - b[2]) / tokens, (a[3] - b[3]) / tokens }'
}

one_campaign() {
    local label=$1 input=$2 before after
    shift 2
    redis-cli -p "$port" flushall >/dev/null
    # Loads the scripts, and makes the queue.
    head -n 2 "$input" >"$work/first.${input##*.}"
    "$pushctl" queue put "$work/first.${input##*.}" --queue "redis://localhost:$port" "$@" >/dev/null 2>&1
    before=$(figures)
    "$pushctl" queue put "$input" --queue "redis://localhost:$port" "$@" >/dev/null 2>"$work/put.log"
    after=$(figures)
    row "$label: put" "$before" "$after"
    before=$after
    "$pushctl" worker --queue "redis://localhost:$port" --config "$work/config.json" >/dev/null 2>"$work/worker.log" </dev/null &
    local worker=$!
    started+=("$worker")
    # The status is asked seldom: it costs the server, too.
    until [[ $("$pushctl" queue status --queue "redis://localhost:$port" --json) == *'"waiting":0'*'"taken":0'* ]]; do sleep 2; done
    kill "$worker"
    wait "$worker" || true
    after=$(figures)
    row "$label: take to settle" "$before" "$after"
}

awk -v count="$tokens" 'BEGIN { print "token"; for (i = 0; i < count; i++) printf "%064x\n", i + 1 }' >"$work/tokens.csv"
awk -v count="$tokens" 'BEGIN { for (i = 0; i < count; i++) \
    printf "{\"token\":\"%064x\",\"payload\":{\"aps\":{\"alert\":{\"title\":\"Flight A998\",\"body\":\"Boarding, seat %d\"}}}}\n", i + 1, i }' \
    >"$work/personal.ndjson"

echo '| per token | µs of the server | bytes of memory | bytes of log |'
echo '|---|---:|---:|---:|'
one_campaign 'entries of 256' "$work/tokens.csv" --title 'Flight A998' --body Boarding
one_campaign 'entries of one' "$work/personal.ndjson"
