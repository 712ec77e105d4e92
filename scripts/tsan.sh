#!/usr/bin/env bash
# Thread Sanitizer over the tests that touch no socket, in a build folder of its own. Arguments go to swift test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
if (($# == 0)); then set -- --skip IntegrationTests; fi
exec swift test --sanitize=thread --scratch-path .build-tsan "$@"
