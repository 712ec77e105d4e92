#!/usr/bin/env bash
# Compares the public API of the libraries with the last release, and lists what breaks. Without a release there is nothing to compare.
#
#   scripts/api.sh [TAG]   default: the newest tag that looks like a version
#
# Before 1.0 a break is allowed in a new minor version (0.1 to 0.2), so it is an error only if CHANGELOG.md has no heading "### Breaking"
# under "Unreleased". From 1.0 on, a break needs a new major version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tag=${1:-$(git tag --list --sort=-version:refname '[0-9]*.[0-9]*.[0-9]*' | head -n 1)}
if [[ -z $tag ]]; then
    echo "skipped: there is no release yet"
    exit 0
fi
products=(SupervisedPush PushTesting PushSimulator ProcessRuntime)
if swift package --scratch-path .build-api diagnose-api-breaking-changes "$tag" --products "${products[@]}"; then
    echo "nothing breaks since $tag"
elif sed -n '/^## Unreleased/,/^## [0-9]/p' CHANGELOG.md | grep -q '^### Breaking'; then
    echo "breaks since $tag, as CHANGELOG.md says under Breaking"
else
    echo "breaks since $tag: describe them in CHANGELOG.md, under a heading '### Breaking' of Unreleased" >&2
    exit 1
fi
