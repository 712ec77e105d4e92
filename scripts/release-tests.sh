#!/usr/bin/env bash
# Runs the tests of the locks, of the process runtime and of the library in a build for speed, as they are shipped: scripts/test.sh runs them
# in a build for debugging. It builds in a folder of its own, which takes a quarter of an hour the first time.
#
#   scripts/release-tests.sh [ARGUMENT...]    arguments go to swift test
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh --tests
# Package.swift leaves out the programs and most other tests.
export SUPERVISED_PUSH_THREADS=1
# Two tests at a time for each core, as in scripts/test.sh.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((2 * $(nproc)))
build=(-c release --scratch-path .build-release -Xswiftc -enable-testing)
swift build --build-tests "${build[@]}"
exec swift test --skip-build "${build[@]}" --filter PushLockingTests --filter ProcessRuntimeTests --filter SupervisedPushTests "$@"
