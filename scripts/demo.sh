#!/usr/bin/env bash
# Builds the demo, which is that of pushctl demo, and runs it: a simulated APNs, named connections, an interrupted server.
# Arguments go to the demo, such as --pushes 50000.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

bash "$root/scripts/setup.sh" --demo
echo "Building for debugging: a minute or two the first time. scripts/install.sh builds pushctl for speed." >&2
# The build's own progress is for the person who waits: to standard error, so that standard output is the demo's.
swift build --package-path "$root" --product pushctl-demo >&2
exec "$(swift build --package-path "$root" --show-bin-path)/pushctl-demo" "$@"
