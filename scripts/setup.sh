#!/usr/bin/env bash
# Installs what the build needs and the machine lacks: libnghttp2, OpenSSL 3, SQLite 3, hiredis and pkg-config.
# Silent and quick when nothing is missing. Needs no terminal.
#
#   scripts/setup.sh             the above
#   scripts/setup.sh --demo      without SQLite and hiredis, which only queues and pushctl need
#   scripts/setup.sh --tests     and tmux, the terminal of the tests of what pushctl shows, and redis-server and redis-sentinel, on which queues are tested
#   scripts/setup.sh --hpack     and Python's hpack, whose decoder the tests of the header encoder use
#   scripts/setup.sh --deb       and what makes Debian packages
#   scripts/setup.sh --root      and debootstrap, which makes a clean Debian in a folder
#   scripts/setup.sh --site      and cmark-gfm, which renders the pages of the documentation's site
set -euo pipefail

wants_queues=yes wants_hpack=no wants_tests=no wants_deb=no wants_root=no wants_site=no
for argument in "$@"; do
    case $argument in
    --demo) wants_queues=no ;;
    --hpack) wants_hpack=yes ;;
    --tests) wants_tests=yes ;;
    --deb) wants_deb=yes ;;
    --root) wants_root=yes ;;
    --site) wants_site=yes ;;
    esac
done

say() { printf 'setup: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

# --- Swift -----------------------------------------------------------------------------------------------------------

check_swift() {
    command -v swift >/dev/null 2>&1 ||
        fail "Swift is missing. Install Swift 6.3 or newer from https://www.swift.org/install and run this again."
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [[ -n $version ]] || fail "'swift --version' does not name a version. Is the tool chain complete?"
    local major=${version%%.*} minor=${version#*.}
    if ((major < 6 || (major == 6 && minor < 3))); then
        fail "Swift $version is too old. Install Swift 6.3 or newer from https://www.swift.org/install."
    fi
}

# --- Libraries -------------------------------------------------------------------------------------------------------

have_tool() { command -v pkg-config >/dev/null 2>&1; }
have_nghttp2() { have_tool && pkg-config --exists 'libnghttp2 >= 1.43'; }
have_openssl() { have_tool && pkg-config --exists 'openssl >= 3.0'; }
have_sqlite() { [[ $wants_queues == no ]] || have_tool && pkg-config --exists sqlite3; }
have_hiredis() { [[ $wants_queues == no ]] || have_tool && pkg-config --exists 'hiredis >= 0.14'; }
have_hpack() { [[ $wants_hpack == no ]] || /usr/bin/python3 -c 'import hpack' 2>/dev/null; }
have_deb() { [[ $wants_deb == no ]] || command -v dpkg-shlibdeps >/dev/null 2>&1; }
have_root() { [[ $wants_root == no || -x /usr/sbin/debootstrap ]]; }
have_site() { [[ $wants_site == no ]] || command -v cmark-gfm >/dev/null 2>&1; }
have_tmux() { [[ $wants_tests == no ]] || command -v tmux >/dev/null 2>&1; }
have_redis() { [[ $wants_tests == no ]] || { command -v redis-server && command -v redis-sentinel; } >/dev/null 2>&1; }
# A sample of docs/queue.md reads outcomes with it.
have_python_redis() { [[ $wants_tests == no ]] || /usr/bin/python3 -c 'import redis' 2>/dev/null; }
have_all() {
    have_nghttp2 && have_openssl && have_sqlite && have_hiredis && have_hpack && have_tmux && have_redis && have_python_redis && have_deb && have_root && have_site
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        # Without a terminal sudo must not wait for a password.
        if [[ -t 0 ]]; then sudo "$@"; else sudo -n "$@"; fi
    else
        return 1
    fi
}

# The package manager of this machine, and the names it has for what is missing.
choose_packages() {
    packages=()
    if command -v apt-get >/dev/null 2>&1; then
        manager=apt-get
        have_tool || packages+=(pkg-config)
        have_nghttp2 || packages+=(libnghttp2-dev)
        have_openssl || packages+=(libssl-dev)
        have_sqlite || packages+=(libsqlite3-dev)
        have_hiredis || packages+=(libhiredis-dev)
        have_hpack || packages+=(python3-hpack)
        have_tmux || packages+=(tmux)
        have_redis || packages+=(redis-server redis-sentinel)
        have_python_redis || packages+=(python3-redis)
        have_deb || packages+=(dpkg-dev)
        have_root || packages+=(debootstrap)
        have_site || packages+=(cmark-gfm)
    elif command -v dnf >/dev/null 2>&1; then
        manager=dnf
        have_tool || packages+=(pkgconf-pkg-config)
        have_nghttp2 || packages+=(libnghttp2-devel)
        have_openssl || packages+=(openssl-devel)
        have_sqlite || packages+=(sqlite-devel)
        have_hiredis || packages+=(hiredis-devel)
        have_hpack || packages+=(python3-hpack)
        have_tmux || packages+=(tmux)
        have_redis || packages+=(redis)
        have_python_redis || packages+=(python3-redis)
    else
        manager=
        packages=("libnghttp2 1.43 or newer" "OpenSSL 3" "SQLite 3" "hiredis 0.14 or newer" "pkg-config")
    fi
}

install_packages() {
    case $manager in
    apt-get)
        # At that run level a package's server is not started.
        as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
            as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -qq -y --no-install-recommends "$@"
        ;;
    dnf) as_root dnf install -q -y "$@" ;;
    *) return 1 ;;
    esac
}

check_swift
have_all && exit 0

choose_packages
[[ -n $manager ]] ||
    fail "no apt-get or dnf here. Install with their headers: ${packages[*]}. Then run this again."
say "installing ${packages[*]} with $manager"
install_packages "${packages[@]}" >&2 ||
    fail "could not install. As root, run: $manager install ${packages[*]}. Then run this again."
have_all || fail "installed, but pkg-config does not find libnghttp2 >= 1.43, openssl >= 3.0, sqlite3 and hiredis (and python3-hpack, tmux, redis-server, python3-redis, dpkg-dev, debootstrap, cmark-gfm); see PKG_CONFIG_PATH."
