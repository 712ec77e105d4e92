#!/usr/bin/env bash
# Thread Sanitizer over the unit and memory tests: none over the network, none of whole programs. It builds in a folder of
# its own. Arguments go to swift test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
if (($# == 0)); then set -- --skip IntegrationTests --skip ProgramTests --skip FaultMatrixTests; fi
exec swift test --sanitize=thread --scratch-path .build-tsan "$@"
