#!/usr/bin/env bash
# Everything a change must pass: format, build without warnings, all tests, the examples, a small demo, the README.
#
#   scripts/test.sh        the above
#   scripts/test.sh --ci   and a minute of soak, a small outage, whether the benchmarks run, Thread Sanitizer
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=${1:-}
case $mode in
'' | --ci) ;;
*)
    echo "usage: scripts/test.sh [--ci]" >&2
    exit 64
    ;;
esac

step() { printf '\n== %s\n' "$*"; }

# Warnings and imports of undeclared targets are errors here and not in Package.swift, where such flags would trouble
# the packages that depend on this one.
checks=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)

# A program that hangs fails here, and does not hold up whoever waits for the result.
within() {
    local seconds=$1
    shift
    if command -v timeout >/dev/null 2>&1; then timeout --kill-after=10 "$seconds" "$@"; else "$@"; fi
}

bash scripts/setup.sh

step "Format"
swift format lint --strict --recursive Sources Tests Examples Benchmarks Package.swift
echo "clean"

step "Build"
swift build --build-tests "${checks[@]}"

step "Tests"
# One after the other: hundreds at once keep each other from their turn, and some of them go by the real clock.
within 900 swift test --no-parallel --skip-build "${checks[@]}"

binaries=$(swift build --show-bin-path "${checks[@]}")
for example in Examples/*/; do
    name=$(basename "$example")
    step "Example $name"
    within 60 "$binaries/$name" </dev/null
done

step "Demo"
within 120 "$binaries/pushctl" demo --pushes 2000 </dev/null

step "README"
bash scripts/readme.sh

if [[ $mode == --ci ]]; then
    step "Soak"
    within 240 "$binaries/Soak" 60 </dev/null
    step "Outage"
    within 240 "$binaries/Soak" outage 50000 </dev/null
    step "Benchmarks smoke"
    BENCH_BINARIES=$binaries within 240 bash Benchmarks/run.sh --smoke </dev/null
    step "Thread Sanitizer"
    within 1500 bash scripts/tsan.sh
fi

step "All passed"
