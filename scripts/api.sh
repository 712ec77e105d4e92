#!/usr/bin/env bash
# Compares the public API of the libraries with the last release, and lists what breaks. Without a release there is nothing to compare.
#
#   scripts/api.sh [TAG]   default: the newest tag that looks like a version
#
# A break is an error unless CHANGELOG.md has a heading "### Breaking" under "Unreleased", which says what to do about it. BUILD_FLAGS has the
# flags of an earlier build, whose results can then be used again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tag=${1:-$(git tag --list --sort=-version:refname '[0-9]*.[0-9]*.[0-9]*' | head -n 1)}
if [[ -z $tag ]]; then
    echo "skipped: there is no release yet"
    exit 0
fi
products=(SupervisedPush PushQueue PushQueueSQLite PushQueueRedis PushTesting PushSimulator PushConfiguration PushServiceLifecycle ProcessRuntime)
read -ra flags <<<"${BUILD_FLAGS:-}"
if swift package "${flags[@]}" diagnose-api-breaking-changes "$tag" --products "${products[@]}"; then
    echo "nothing breaks since $tag"
elif sed -n '/^## Unreleased/,/^## [0-9]/p' CHANGELOG.md | grep -q '^### Breaking'; then
    echo "breaks since $tag, as CHANGELOG.md says under Breaking"
else
    echo "breaks since $tag: describe them in CHANGELOG.md, under a heading '### Breaking' of Unreleased" >&2
    exit 1
fi
