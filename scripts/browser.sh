#!/usr/bin/env bash
# Tests the page of the push inbox in a real browser: Debian's chromium with its driver, and Selenium from PyPI. A client that nobody here
# wrote, aioapns, pushes to it, too.
#
#   scripts/browser.sh [--pushctl FILE] [--pictures] [TEST…]
#
# Without --pushctl it builds pushctl for debugging. --pictures makes the pictures of docs/pictures in place of the tests.
# TEST is a name such as test_push or test_views.Views.test_a_connection_is_shown_and_cut. As root it installs what is
# missing; otherwise it says what to install.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
selenium=4.51.0
pushctl=
arguments=(-m unittest -v)
while [ $# -gt 0 ]; do
    case $1 in
    --pushctl) pushctl=${2:?"--pushctl needs a file"} && shift 2 ;;
    --pictures) arguments=(pictures.py) && shift ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) break ;;
    esac
done

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v chromedriver >/dev/null || missing+=(chromium-driver)
command -v curl >/dev/null || missing+=(curl)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "browser.sh: missing: ${missing[*]}. On Debian: sudo apt-get install ${missing[*]}" >&2
        exit 69
    fi
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Below .build, which git ignores.
environment=$root/.build/browser-$selenium
if [ ! -x "$environment/bin/python" ] || ! "$environment/bin/python" -c 'import aioapns, selenium' 2>/dev/null; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check "selenium==$selenium" aioapns==4.0
fi

if [ -z "$pushctl" ]; then
    swift build --package-path "$root" --traits Server --product pushctl >&2
    pushctl=$(swift build --package-path "$root" --traits Server --show-bin-path)/pushctl
fi
pushctl=$(realpath "$pushctl")
cd "$root/scripts/browser"
export PYTHONDONTWRITEBYTECODE=1 PUSHCTL=$pushctl
exec "$environment/bin/python" "${arguments[@]}" "$@"
