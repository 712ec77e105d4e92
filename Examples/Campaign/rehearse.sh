#!/usr/bin/env bash
# Runs the campaign against a simulated APNs in a process of its own, kills it in the middle, and starts it again. Then the
# simulator's log says whether each outcome is true. It needs pushctl and the program Campaign on the PATH.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ -z ${PUSHCTL_CONFIG:-} ]]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cd "$folder"
    # 5,000 devices. Each hundredth has removed the app; one has a name that needs quotes in CSV and in JSON.
    awk 'BEGIN {
        print "token,name,percent"
        for (n = 1; n <= 5000; n++)
            printf "%s%056x,%s,%d\n", n % 100 ? "ab000000" : "deadbeef", n, n == 7 ? "\"Ann \"\"A\"\" O'\''Hara\"" : "Ann " n, n % 50
    }' >devices.csv
    pushctl simulate --script "$here/faults.json" --log requests.jsonl -- bash "$here/rehearse.sh" 2>simulate.log || {
        cat simulate.log
        exit 1
    }
    ! grep 'fired 0 times' simulate.log # a fault that never happened rehearsed nothing
    python3 "$here/judge.py" outcomes.csv requests.jsonl
    exit
fi

Campaign >first.log 2>&1 &
first=$!
# Killed in the middle: between the maintenance and the cut.
until [[ -f outcomes.csv ]] && (($(wc -l <outcomes.csv) > 1500)); do
    kill -0 "$first" || { cat first.log; exit 1; }
    sleep 0.05
done
kill -9 "$first"
wait "$first" 2>/dev/null || true
Campaign >second.log 2>&1 || { cat second.log; exit 1; }
tail -n 1 second.log
