#!/usr/bin/env bash
# Rehearses an outage of APNs: a campaign of 10,000 pushes through maintenance, a broken connection, a server that cannot be reached, and
# refused pushes. It needs pushctl on the PATH and nothing else.
set -euo pipefail
script=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/outage.json
folder=$(mktemp -d)
cd "$folder"

pushctl simulate --credentials ca --script "$script" >simulator.json 2>simulator.log &
simulator=$!
trap 'kill $simulator 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in {1..100}; do [[ -s simulator.json ]] && break; sleep 0.1; done # at most 10 s
[[ -s simulator.json ]] || { cat simulator.log; exit 1; }              # why it did not start
port=$(sed -E 's/.*"port":([0-9]+).*/\1/' simulator.json)

(echo token; seq 1 10000 | xargs printf '%064x\n') >tokens.csv
echo '{"aps":{"alert":"Rehearsal"}}' >payload.json
# 1: APNs refused some of them, 2: of some it is not known whether they arrived. Anything else is a failure of the rehearsal.
pushctl bulk tokens.csv --payload payload.json --outcomes outcomes.csv --host localhost --port "$port" --topic com.example.app \
    --trust-roots ca/ca.pem --certificate ca/provider.pem --private-key ca/provider-key.pem --max-outage 30 || [[ $? -le 2 ]]

kill $simulator
wait $simulator || cat simulator.log              # how much was processed, and how often each rule fired
test "$(wc -l <outcomes.csv)" -eq 10001           # one row per push, and the header
! grep 'fired 0 times' simulator.log              # a fault that never happened rehearsed nothing
