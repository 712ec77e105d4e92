#!/usr/bin/env bash
# Builds pushctl and runs its demo: a simulated APNs, named connections, an interrupted server.
# Arguments go to the demo, such as --pushes 50000.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

bash "$root/scripts/setup.sh"
echo "Building, not for speed: about two minutes the first time. scripts/install.sh builds the fast program." >&2
# The build's own progress is for the person who waits: to standard error, so that standard output is the demo's.
swift build --package-path "$root" --product pushctl >&2
binary=$(swift build --package-path "$root" --show-bin-path)/pushctl
exec "$binary" demo "$@"
