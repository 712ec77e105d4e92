#!/usr/bin/env bash
# Runs both fault matrices, which write what they see into docs/faults.md. The tests compare that page with what they see, so
# look at the difference before you commit it. The second matrix needs redis-server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
checks=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)
SUPERVISED_PUSH_WRITE_FAULTS=1 swift test "${checks[@]}" --filter "FaultMatrixTests|QueueFaultTests"
git --no-pager diff --stat -- docs/faults.md
