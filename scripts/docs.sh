#!/usr/bin/env bash
# Builds one site for a host that only serves files: the README and the pages of docs/, and the documentation of all library products. A warning is
# an error: a broken link, a parameter without a description.
#
#   scripts/docs.sh [FOLDER]    default: .build/documentation
#
# Read it with: python3 -m http.server -d FOLDER, then open http://localhost:8000. DOCS_BASE_PATH is the path of a site that is not at
# the root of its host, and BUILD_FLAGS has the flags of an earlier build, whose results can then be used again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh --site
python3 scripts/links.py

folder=${1:-.build/documentation}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# Whatever happens, Package.resolved stays as it was: the plugin is for this build alone.
kept=$(mktemp)
log=$(mktemp)
[[ ! -f Package.resolved ]] || cp Package.resolved "$kept"
restore() {
    if [[ -s $kept ]]; then cp "$kept" Package.resolved; else rm -f Package.resolved; fi
    rm -f "$kept" "$log"
}
trap restore EXIT
# One that is ended from outside says how far it was.
trap 'tail -n 20 "$log" >&2; exit 143' TERM

# PushServer has something to document with its trait only.
read -ra flags <<<"${BUILD_FLAGS:---traits Server}"
arguments=(--enable-experimental-combined-documentation --transform-for-static-hosting --output-path "$folder" --warnings-as-errors)
targets=(PushProtocol ProcessRuntime SupervisedPush PushConfiguration PushServiceLifecycle PushQueueServiceLifecycle PushCampaign PushQueue PushQueueSQLite PushQueueRedis PushQueueTesting PushSimulator PushServer PushTesting PushTestingTraits)
for target in "${targets[@]}"; do arguments+=(--target "$target"); done
if [[ -n ${DOCS_BASE_PATH:-} ]]; then
    arguments+=(--hosting-base-path "$DOCS_BASE_PATH")
fi

export SUPERVISED_PUSH_DOCS=1
if ! swift package "${flags[@]}" --allow-writing-to-directory "$folder" generate-documentation "${arguments[@]}" >"$log" 2>&1; then
    cat "$log"
    exit 1
fi
python3 scripts/make-site.py "$folder" "${DOCS_BASE_PATH:-}"
echo "the documentation is in $folder"
