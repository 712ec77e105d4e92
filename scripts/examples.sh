#!/usr/bin/env bash
# Runs the examples, which push to a simulator of their own, and looks at what they print.
#
#   scripts/examples.sh FOLDER    FOLDER has their programs: swift build --show-bin-path
#
# PUSHCTL names a pushctl that is built already, for the example that is a script.
set -euo pipefail
binaries=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
pushctl=${PUSHCTL:-$binaries/pushctl}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

within() {
    if command -v timeout >/dev/null 2>&1; then timeout --kill-after=30 300 "$@"; else "$@"; fi
}

# What each prints: an extended regular expression for each line.
expected() {
    case $1 in
    AnonymousConnections)
        echo '1000 of 1000 accepted over 5 connections'
        for _ in 1 2 3 4 5; do echo 'anonymous closed, 0 pushes of unknown fate'; done
        ;;
    ConnectionPool)
        echo '5000 accepted|[0-9]+ accepted, [0-9]+ unknown'
        echo 'bulk <1> up generation 0, 0 in flight, 0 waiting, limit [0-9]+'
        ;;
    JobWorker)
        echo 'delivered +[0-9]+'
        echo 'device token dropped +[0-9]+'
        echo 'failed +0'
        echo 'dead letter, for a person +[0-9]+'
        echo '= ended, of 300 jobs +300'
        echo '  requeued: .+ [0-9]+'
        echo '  requeued: .+ [0-9]+'
        ;;
    LiveActivity)
        for _ in 1 2 3; do echo '[0-9]:[0-9] in minute [0-9]+: 200'; done
        echo 'after the match: 400 ChannelNotRegistered'
        ;;
    MultiTenant)
        echo '950 accepted, 47 credential_refused, 3 rejected'
        echo 'tenant-19 <[0-9]+> suspended .*InvalidProviderToken.*'
        ;;
    PushByName)
        echo 'up: <1>, link 1'
        echo 'accepted'
        echo 'rejected: 410 Unregistered \(apns-id [0-9a-f-]{36}\)'
        echo 'feedback: dead…[0-9a-f]{4} is invalid since .+'
        echo 'attempt 1 in [0-9.e-]+ seconds: The connection was lost: .+'
        echo 'up: <1>, link 2'
        echo 'after the cut: 200'
        ;;
    QueuedPushes)
        echo '20 entries wait'
        echo '1 rejected, 5000 delivered'
        echo 'delete 1 token, which is Unregistered'
        echo '0 entries are with a worker'
        ;;
    *)
        echo "scripts/examples.sh does not know what $1 prints" >&2
        exit 1
        ;;
    esac
}

for example in Examples/*/; do
    name=$(basename "$example")
    # A package of its own: scripts/adopter.sh builds it.
    [[ -f $example/Package.swift ]] && continue
    echo "- $name"
    if [[ -f $example/rehearse.sh ]]; then
        PATH=$(dirname "$pushctl"):$binaries:$PATH within bash "$example/rehearse.sh" </dev/null
        continue
    fi
    expected "$name" >"$work/expected"
    ok=yes
    within "$binaries/$name" </dev/null >"$work/printed" || ok=no
    cat "$work/printed"
    # As many lines as expected, each of them expected, and each expected one among them. Some tell what happens side by side.
    (($(wc -l <"$work/printed") == $(wc -l <"$work/expected"))) || ok=no
    if grep -Exqv -f "$work/expected" "$work/printed"; then ok=no; fi
    while IFS= read -r line; do grep -Exq -e "$line" "$work/printed" || ok=no; done <"$work/expected"
    if [[ $ok == no ]]; then
        echo "examples: $name printed something else than:" >&2
        cat "$work/expected" >&2
        exit 1
    fi
done
