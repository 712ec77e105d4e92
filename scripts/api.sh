#!/usr/bin/env bash
# Compares the public API of the libraries with what is recorded. Until there is a release that is docs/api.txt, which a change of the API
# changes with it, so that it is seen in its diff. With a release, it lists what breaks since.
#
#   scripts/api.sh             compares with the newest tag that looks like a version, or with docs/api.txt
#   scripts/api.sh TAG         compares with this release
#   scripts/api.sh --record    writes docs/api.txt
#
# A break since a release is an error unless CHANGELOG.md has a heading "### Breaking" under "Unreleased", which says what to do about it.
# BUILD_FLAGS has the flags of an earlier build, whose results can then be used again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

products=(SupervisedPush PushCampaign PushQueue PushQueueSQLite PushQueueRedis PushQueueTesting PushTesting PushTestingTraits PushSimulator PushConfiguration PushServiceLifecycle PushQueueServiceLifecycle PushServer ProcessRuntime)
# PushServer has a public API with its trait only.
read -ra flags <<<"${BUILD_FLAGS:---traits Server}"

list_api() {
    local log folder
    log=$(swift package "${flags[@]}" dump-symbol-graph --skip-synthesized-members 2>&1) || true
    folder=$(sed -n 's/^Files written to //p' <<<"$log" | tail -n 1)
    if [[ ! -d $folder ]]; then
        echo "$log" >&2
        exit 1
    fi
    # PushProtocol is a part of SupervisedPush, which exports it.
    python3 scripts/api.py "$folder" PushProtocol "${products[@]}"
}

tag=${1:-$(git tag --list --sort=-version:refname '[0-9]*.[0-9]*.[0-9]*' | head -n 1)}
if [[ $tag == --record ]]; then
    list_api >docs/api.txt
    exit
elif [[ -z $tag ]]; then
    now=$(mktemp)
    trap 'rm -f "$now"' EXIT
    list_api >"$now"
    if ! diff -u docs/api.txt "$now"; then
        echo "The public API changed. Record it with scripts/api.sh --record, and say in CHANGELOG.md what users have to do." >&2
        exit 1
    fi
    echo "the public API is that of docs/api.txt"
    exit
fi
if swift package "${flags[@]}" diagnose-api-breaking-changes "$tag" --products "${products[@]}"; then
    echo "nothing breaks since $tag"
elif sed -n '/^## Unreleased/,/^## [0-9]/p' CHANGELOG.md | grep -q '^### Breaking'; then
    echo "breaks since $tag, as CHANGELOG.md says under Breaking"
else
    echo "breaks since $tag: describe them in CHANGELOG.md, under a heading '### Breaking' of Unreleased" >&2
    exit 1
fi
