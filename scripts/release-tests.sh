#!/usr/bin/env bash
# Runs the tests of the library and of the process runtime in a build for speed, as it is shipped: scripts/test.sh runs them in a build for
# debugging. It builds in a folder of its own, and takes a quarter of an hour.
#
#   scripts/release-tests.sh [ARGUMENT...]    arguments go to swift test
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh --tests
# Package.swift leaves out the programs and most other tests.
export SUPERVISED_PUSH_THREADS=1
build=(-c release --scratch-path .build-release -Xswiftc -enable-testing)
exec swift test "${build[@]}" --filter PushLockingTests --filter ProcessRuntimeTests --filter SupervisedPushTests "$@"
