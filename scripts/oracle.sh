#!/usr/bin/env bash
# Random lives of a whole runtime over a network in memory: every push must end once, and what callers were told must agree
# with what the simulator processed. The test suite runs seeds 1 to 20.
#
#   scripts/oracle.sh [FIRST [LAST]]     seeds 1 to 300 by default; one seed if only FIRST is given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

first=${1:-1}
last=${2:-${1:-300}}
for seed in "$first" "$last"; do
    [[ $seed =~ ^[0-9]{1,15}$ ]] || {
        echo "usage: scripts/oracle.sh [FIRST [LAST]], both whole numbers; not '$seed'" >&2
        exit 64
    }
done
((first <= last)) || {
    echo "oracle: the first seed, $first, is greater than the last, $last" >&2
    exit 64
}

bash scripts/setup.sh
checks=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)
SUPERVISED_PUSH_SEEDS="$first...$last" swift test --no-parallel "${checks[@]}" --filter OracleTests
