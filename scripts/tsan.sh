#!/usr/bin/env bash
# Thread Sanitizer over the tests of the libraries with threads: none over the network, none of whole programs. It builds in a folder of
# its own.
#
#   scripts/tsan.sh                 those tests
#   scripts/tsan.sh ARGUMENT...     the whole package; arguments go to swift test
#   scripts/tsan.sh --build-only    builds those tests and runs none
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
# The define gives HandOver a lock, which the sanitizer sees.
build=(--sanitize=thread --scratch-path .build-tsan -Xswiftc -DTHREAD_SANITIZER)
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
# One test after the other: each uses several threads by itself, and under the sanitizer many at once only keep each other
# from their turn.
if (($# > 0)) && [[ $1 != --build-only ]]; then
    exec swift test --no-parallel "${build[@]}" "$@"
fi

# Package.swift leaves out the programs, what one thread computes alone, and the fault matrices, which take too long here. It also leaves
# out PushConfigurationTests: swift-configuration's provider locks with Synchronization.Mutex, which the sanitizer does not see on Linux,
# so it reports a race there.
export SUPERVISED_PUSH_THREADS=1
swift build --build-tests "${build[@]}"
[[ ${1:-} == --build-only ]] && exit
# These compute on one thread, or make thousands of calls one after the other. The other tests of their targets stay.
skip=()
for tests in RandomLives RandomWorker LifeAtRandom PhaseEvent RoomTests StoreLives HugeRecord randomCalls; do skip+=(--skip "$tests"); done
exec swift test --no-parallel --skip-build "${build[@]}" "${skip[@]}"
