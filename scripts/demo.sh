#!/usr/bin/env bash
# Builds pushctl for speed and runs its demo: a simulated APNs, named connections, an interrupted server.
# Arguments go to the demo, such as --pushes 50000.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

bash "$root/scripts/setup.sh"
echo "Building (the first time takes a few minutes) …" >&2
# The build's own progress is for the person who waits: to standard error, so that standard output is the demo's.
swift build --package-path "$root" --configuration release --product pushctl >&2
binary=$(swift build --package-path "$root" --configuration release --show-bin-path)/pushctl
exec "$binary" demo "$@"
