#!/usr/bin/env bash
# Everything a change must pass: format, build without warnings, all tests, the examples, a small demo, the inbox's API, the Swift and the
# commands in the documents.
#
#   scripts/test.sh        the above
#   scripts/test.sh --ci   and the inbox's page in a browser, the Debian package, the documentation, the API diff, a minute of soak, a small outage, real proxies, whether the benchmarks
#                          run, Thread Sanitizer
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

clock=$(mktemp) tally=$(mktemp)
trap 'rm -f "$clock" "$tally"' EXIT

# Prints a heading with the seconds since the start, and the processor time of all programs that have ended since then: what a step costs is
# seen in the heading of the next one.
step() {
    # Not in a pipe: the programs are this shell's children.
    times >"$clock"
    local spent
    spent=$(sed -n 2p "$clock" | tr 'ms' '  ' | awk '{ print int($1 * 60 + $2 + $3 * 60 + $4) }')
    printf '\n== %s (%d s; %d processor s)\n' "$*" "$SECONDS" "$spent"
}

# One build, with the push inbox; scripts/demo.sh and scripts/adopter.sh build without it. Warnings and imports of undeclared targets are errors here and not in Package.swift, where such flags would trouble
# the packages that depend on this one.
checks=(--traits Server -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)

# within SECONDS COMMAND…: a program that hangs fails here, and does not hold up its caller. A limit is several times what the command takes on
# two idle cores, because a busy machine fails nothing.
within() {
    local seconds=$1 status=0
    shift
    if ! command -v timeout >/dev/null 2>&1; then
        "$@"
        return
    fi
    timeout --kill-after=30 "$seconds" "$@" || status=$?
    if ((status == 124 || status == 137)); then echo "ended at its limit of $seconds s: $*" >&2; fi
    return "$status"
}

# Runs tests. What failed, and what began and never ended, is said again in the last lines, where a long log is read first.
naming_failures() {
    local log status=0
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=$?
    if ((status != 0)); then
        step "What failed (exit code $status)"
        grep -aE -A 5 '^(✘ |.*: error: )' "$log" | grep -avE '^(◇|✔)' | tail -n 60 || true
        comm -23 \
            <(LC_ALL=C sed -nE 's/^◇ Test (.*) started\.$/begun and not ended: \1/p' "$log" | grep -av ': case passing ' | sort) \
            <(LC_ALL=C sed -nE -e 's/^.*(✔|✘) Test (.*) (passed|failed) after .*/begun and not ended: \2/' \
                -e 's/ with [0-9]+ tests? .*$//; /^begun/p' "$log" | sort)
    fi
    grep -aE '^➜ .* skipped' "$log" >>"$tally" || true
    rm -f "$log"
    return "$status"
}

setup=(--tests)
[[ $mode == --ci ]] && setup+=(--hpack --deb --root --site)
bash scripts/setup.sh "${setup[@]}"

step "Format and links"
python3 scripts/lint-tests.py Tests Examples
python3 scripts/lint-errors.py Sources
swift format lint --strict --recursive Sources Tests Examples Benchmarks Package.swift
python3 scripts/links.py
if grep -rn '^import Foundation$' Sources; then
    echo "import FoundationEssentials in place of Foundation, which costs each program 7 MiB (docs/decisions/0009-linux.md)" >&2
    exit 1
fi
echo "clean"

step "Build"
swift build --build-tests "${checks[@]}"

binaries=$(swift build --show-bin-path "${checks[@]}")

if [[ $mode == --ci ]]; then
    # Builds for later steps, made of what the tests leave of the processor, which is half of two cores. A test that wakes takes its core
    # from them at once.
    ahead=$(mktemp -d)
    idle=(chrt --idle 0)
    "${idle[@]}" true 2>/dev/null || idle=(nice -n 19)
    "${idle[@]}" bash scripts/package-deb.sh >"$ahead/package" 2>"$ahead/package.log" </dev/null &
    package=$!
    "${idle[@]}" bash -c 'tail --pid="$0" -f /dev/null && bash scripts/tsan.sh --build-only' "$package" >"$ahead/tsan.log" 2>&1 </dev/null &
    tsan=$!
    trap 'kill "$package" "$tsan" 2>/dev/null || true; rm -rf "$ahead" "$clock" "$tally"' EXIT
fi

export PUSHCTL=$binaries/pushctl

# finished PROCESS LOG: waits for a build that was begun ahead.
finished() {
    wait "$1" || {
        tail -n 50 "$2"
        exit 1
    }
}

# Each line is written at once: what waits in a buffer is lost when a run that hangs is ended.
tests() { naming_failures within "$1" stdbuf -oL swift test --skip-build "${checks[@]}" "${@:2}"; }

# Two tests at a time for each core: many wait for a timer or another process. Hundreds at once would keep each other from their turn.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$((2 * $(nproc)))

step "Tests"
tests 2700 --skip FaultMatrixTests --skip QueueFaultTests --skip ProgramTests

step "Tests: every fault"
tests 1800 --filter FaultMatrixTests --filter QueueFaultTests

step "The article's outage, 1,000 times"
within 600 bash scripts/article.sh </dev/null

if [[ $mode == --ci ]]; then
    step "Package"
    finished "$package" "$ahead/package.log"
    DEB=$(cat "$ahead/package")
    dpkg-deb --extract "$DEB" "$ahead/tree"
    # From here on, the program is that of the package, built for speed.
    PUSHCTL=$ahead/tree/usr/bin/pushctl
    "$PUSHCTL" --version
fi

step "Tests: pushctl as a program"
tests 1800 --filter ProgramTests

step "Examples"
within 600 bash scripts/examples.sh "$binaries"

step "Demo"
within 300 "$PUSHCTL" demo --pushes 2000 </dev/null

step "pushctl's cases"
within 600 bash scripts/pushctl-cases.sh </dev/null

step "A bulk that is killed"
within 900 bash scripts/kill-bulk.sh 10 </dev/null

step "A night on call"
within 900 python3 scripts/on-call.py </dev/null

step "The inbox's API"
within 300 "$PUSHCTL" simulate --inbox 127.0.0.1:0 -- python3 scripts/inbox-api.py </dev/null

step "Samples"
bash scripts/readme.sh

step "Commands"
within 900 bash scripts/commands.sh
python3 scripts/facts.py --self-test
python3 scripts/facts.py

if [[ $mode == --ci ]]; then
    step "A service outside of the package"
    within 1800 bash scripts/adopter.sh </dev/null
    step "The inbox in a browser"
    within 1800 bash scripts/browser.sh --pushctl "$PUSHCTL" </dev/null
    step "The package in a clean Debian"
    DEB=$DEB within 1200 bash scripts/package-check.sh </dev/null
    step "Documentation"
    BUILD_FLAGS="${checks[*]}" within 1800 bash scripts/docs.sh
    step "API diff"
    BUILD_FLAGS="${checks[*]}" within 1800 bash scripts/api.sh
    step "Soak"
    within 300 "$binaries/Soak" 60 </dev/null
    step "Outage"
    within 600 "$binaries/Soak" outage 50000 </dev/null
    step "Proxies"
    within 600 bash scripts/interop.sh 2000 tinyproxy tinyproxy-login microsocks microsocks-login
    step "Benchmarks smoke"
    BENCH_BINARIES=$binaries within 1800 bash Benchmarks/run.sh --smoke </dev/null
    step "Thread Sanitizer"
    finished "$tsan" "$ahead/tsan.log"
    naming_failures within 2700 bash scripts/tsan.sh
fi

step "All passed, skipped: $(wc -l <"$tally")"
cat "$tally"
