#!/usr/bin/env bash
# Rehearses an outage of APNs: a campaign of 10,000 pushes through maintenance, a broken connection, a server that cannot be reached, and
# refused pushes. It needs pushctl on the PATH and nothing else.
set -euo pipefail
script=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/outage.json
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

(echo token; seq 1 10000 | xargs printf '%064x\n') >tokens.csv
echo '{"aps":{"alert":"Rehearsal"}}' >payload.json
# 1: APNs refused some of them, 2: of some it is not known whether they arrived. Anything else is a failure of the rehearsal.
pushctl simulate --script "$script" -- \
    pushctl bulk tokens.csv --payload payload.json --outcomes outcomes.csv --max-outage 30 2>rehearsal.log || [[ $? -le 2 ]] ||
    { cat rehearsal.log; exit 1; }

cat rehearsal.log                                 # how much was processed, and how often each rule fired
test "$(wc -l <outcomes.csv)" -eq 10001           # one row per push, and the header
! grep 'fired 0 times' rehearsal.log              # a fault that never happened rehearsed nothing
