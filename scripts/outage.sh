#!/usr/bin/env bash
# A million pushes offered while the server is down: memory stays flat, what does not fit is refused at once, callers that
# can wait do, and everything that waited goes out in call order when the server returns.
#
#   scripts/outage.sh [PUSHES]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/setup.sh
swift build --configuration release --product Soak >&2
exec "$(swift build --configuration release --show-bin-path)/Soak" outage "$@"
