#!/usr/bin/env bash
# Runs the service and two workers against a simulated APNs, posts with curl, kills one worker, and reads the outcomes. It needs pushctl and
# curl on the PATH. BIN is the folder with the built programs.
set -euo pipefail
if [[ -z ${PUSHCTL_CONFIG:-} ]]; then
    BIN=${BIN:-$(swift build --package-path "$(dirname "${BASH_SOURCE[0]}")" --show-bin-path)} exec pushctl simulate -- "${BASH_SOURCE[0]}"
fi

folder=$(mktemp -d)
children=()
finish() {
    kill "${children[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
# A free port, unless one is given.
until [[ -n ${PORT:-} ]]; do
    PORT=$((20000 + RANDOM % 12000))
    ! (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null || PORT=
done
export QUEUE=${QUEUE:-$folder/pushes.db} PUSH_CONFIG=$PUSHCTL_CONFIG PORT

"$BIN/QueueService" >"$folder/service.log" 2>&1 &
children+=($!)
curl --silent --fail --retry 120 --retry-delay 1 --retry-connrefused "localhost:$PORT/outcomes" >/dev/null

# No worker runs: what is posted waits in the file. The last device is one that the simulator answers with 410.
for number in $(seq 1 50); do
    curl --silent --fail "localhost:$PORT/notify" --header 'Content-Type: application/json' \
        --data "$(printf '{"devices": ["%064x"], "title": "Flight A998", "body": "Boarding"}' "$number")" >>"$folder/tickets"
done
curl --silent --fail "localhost:$PORT/notify" --header 'Content-Type: application/json' \
    --data "{\"devices\": [\"deadbeef$(printf '%056d' 0)\"], \"title\": \"Flight A998\", \"body\": \"Boarding\"}" >>"$folder/tickets"

for worker in first second; do
    "$BIN/QueueWorker" >"$folder/$worker.log" 2>&1 &
    children+=($!)
done
kill -9 "${children[1]}"
wait "${children[1]}" 2>/dev/null || true

# What the killed worker had, the other one takes over, 12 to 16 s after it has begun.
for _ in $(seq 1 120); do
    curl --silent --fail "localhost:$PORT/outcomes" >"$folder/outcomes"
    [[ $(grep -o '"outcome":' "$folder/outcomes" | wc -l) -lt 51 ]] || break
    sleep 1
done
delivered=$(grep -o '"outcome":"delivered"' "$folder/outcomes" | wc -l)
gone=$(grep -o '"reason":"Unregistered"' "$folder/outcomes" | wc -l)
echo "$delivered delivered, $gone unregistered"
[[ $delivered == 50 && $gone == 1 ]] || { cat "$folder"/*.log; exit 1; }
