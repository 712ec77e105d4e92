#!/usr/bin/env bash
# Twenty named connections under seeded trouble: both ledgers must agree in the end, and memory, threads and descriptors
# must not grow.
#
#   scripts/soak.sh [SECONDS [SEED]]     ten minutes and seed 1 by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
swift build --configuration release --product Soak >&2
exec "$(swift build --configuration release --show-bin-path)/Soak" "$@"
