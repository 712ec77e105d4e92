#!/usr/bin/env bash
# Thread Sanitizer over the unit and memory tests: none over the network, none of whole programs. It builds in a folder of
# its own. Arguments go to swift test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
options=(--sanitize=thread --scratch-path .build-tsan)
if (($# > 0)); then exec swift test "${options[@]}" "$@"; fi

swift build --build-tests "${options[@]}"
# Target after target: under the sanitizer each test takes many times as long, and all at once they keep each other from
# their turn. What one thread computes alone, for minutes here, has no race to find: it is left to the other run.
alone=(--skip RandomEvents --skip FuzzTests --skip PhaseEvent --skip PushProtocolTests)
for target in Locking ProcessRuntime HTTP2Session WireTransport PushSimulator Pushctl SupervisedPush; do
    echo "-- ${target}Tests"
    swift test --skip-build "${options[@]}" --filter "^${target}Tests\." --skip ProgramTests "${alone[@]}"
done
