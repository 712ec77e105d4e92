#!/usr/bin/env bash
# Address Sanitizer over the tests, in a build folder of its own. Arguments go to swift test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
# No search for leaks: Swift's runtime keeps its metadata, which would be reported.
export ASAN_OPTIONS="detect_leaks=0 ${ASAN_OPTIONS:-}"
# One test after the other, as under the Thread Sanitizer.
exec swift test --no-parallel --sanitize=address --scratch-path .build-asan "$@"
