#!/usr/bin/env bash
# Runs the two outage tests of the article "Testing with the simulator" as they are printed, 1,000 times or as often as the argument
# says. A push of them must never be written to a connection that was cut. After `swift build --build-tests`, with the same flags.
#
#   scripts/article.sh [RUNS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

checks=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)
ARTICLE_RUNS=${1:-1000} swift test --skip-build "${checks[@]}" --filter 'ArticleSamples/(anOutage|aPushThatCannotBeSent)' | tail -n 3
