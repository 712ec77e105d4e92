#!/usr/bin/env bash
# Makes the Debian package, installs it in a clean Debian that has neither Swift nor anything of this machine, and uses it there.
#
#   scripts/package-check.sh    builds the package first; DEB names one that is built already
#
# The clean Debian comes from the mirror of this machine. debootstrap needs root.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bash "$root/scripts/setup.sh" --deb --root

say() { printf 'package: %s\n' "$*"; }
fail() {
    printf 'package: %s\n' "$*" >&2
    exit 1
}

DEB=${DEB:-$(bash "$root/scripts/package-deb.sh" </dev/null)}
say "$(basename "$DEB"): $(du -k "$DEB" | cut -f 1) KiB, $(dpkg-deb --field "$DEB" Depends)"

work=$(mktemp -d)
clean=$work/root
tree=$work/tree
as_root=()
[[ $(id -u) -eq 0 ]] || as_root=(sudo -n)
trap '"${as_root[@]}" rm -rf "$work"' EXIT

# --- What is in it -----------------------------------------------------------------------------------------------------

dpkg-deb --extract "$DEB" "$tree"
gunzip "$tree"/usr/share/man/man1/*.gz
python3 "$root/scripts/package/pages.py" "$tree/usr/bin/pushctl" "$tree/usr/share/man/man1" \
    "$tree/usr/share/bash-completion/completions/pushctl" "$tree/usr/share/zsh/vendor-completions/_pushctl" \
    "$tree/usr/share/fish/vendor_completions.d/pushctl.fish"
# Where these are not on the machine, the others must do.
if command -v lintian >/dev/null 2>&1; then lintian --fail-on error,warning "$DEB"; fi
if command -v systemd-analyze >/dev/null 2>&1; then
    for unit in "$tree"/lib/systemd/system/*.service; do
        sed "s|/usr/bin/pushctl|$tree/usr/bin/pushctl|" "$unit" >"$work/$(basename "$unit")"
        systemd-analyze verify --man=no --recursive-errors=no "$work/$(basename "$unit")"
        # 0 is the least exposed, 10 the most; here it is in tenths. A network service without a root of its own has some 1.2.
        systemd-analyze security --offline=yes --threshold=15 --no-pager "$work/$(basename "$unit")" >"$work/exposure" ||
            fail "$(tail -n 1 "$work/exposure")"
    done
fi

# --- A clean Debian ----------------------------------------------------------------------------------------------------

# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[[ -n $suite ]] || fail "/etc/os-release names no release"
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v suite="$suite" '($1 == suite || $1 == "stable") && $2 == "main" { print $3; exit }')
[[ -n $mirror ]] || fail "apt has no source for main of $suite"
proxy=$(apt-config shell proxy Acquire::http::Proxy)
eval "$proxy"
export http_proxy=${proxy:-${http_proxy:-}}

"${as_root[@]}" env PATH="$PATH:/usr/sbin:/sbin" http_proxy="$http_proxy" \
    debootstrap --variant=minbase --include=man-db,bash-completion "$suite" "$clean" "$mirror" >"$work/log" 2>&1 || {
    tail -n 30 "$work/log" >&2
    fail "debootstrap failed"
}
# inside COMMAND…: in the clean Debian, with nothing of this machine's environment. A Swift program reads its arguments from /proc; mounted in
# a namespace of the command, it goes away with it.
inside() {
    "${as_root[@]}" unshare --pid --fork --kill-child --mount-proc="$clean/proc" chroot "$clean" \
        /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive http_proxy="$http_proxy" "$@"
}
"${as_root[@]}" cp "$DEB" "$clean/pushctl.deb"
inside apt-get install -qq -y --no-install-recommends /pushctl.deb >"$work/log" 2>&1 </dev/null || {
    tail -n 30 "$work/log" >&2
    fail "the package does not install"
}

# --- Used there --------------------------------------------------------------------------------------------------------

version=$(dpkg-deb --field "$DEB" Version)
[[ $(inside pushctl --version) == "$version" ]] || fail "pushctl --version is not the package's, $version"
! inside ldd /usr/bin/pushctl | grep -e 'not found' -e libswift || fail "a library is missing, or one of Swift's is needed"
inside man -w pushctl pushctl-send pushctl-channels-create >/dev/null
inside man pushctl bulk | grep -q -e '--outcomes' || fail "man pushctl bulk does not show its page"
inside bash -c '. /usr/share/bash-completion/completions/pushctl
    COMP_WORDS=(pushctl send --dry) COMP_CWORD=2 COMP_LINE="pushctl send --dry" COMP_POINT=18
    _pushctl pushctl --dry send
    [[ ${COMPREPLY[*]} == --dry-run ]]' || fail "bash completes nothing"
inside pushctl demo --pushes 2000 </dev/null >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "pushctl demo failed"
}
inside pushctl simulate -- pushctl send "$(printf '%064d' 1)" --body Hello </dev/null >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "a push to the simulator failed"
}
# As systemd starts it, also once more with the credentials of the first time. It is ended once it listens, a minute later at the latest.
start=$(sed -n 's/^ExecStart=//p' "$tree/lib/systemd/system/pushctl-simulate.service")
for _ in first again; do
    status=0
    inside env STATE_DIRECTORY=/state OPTIONS="--port 2197" START="$start" bash -c '
        : >/said
        sh -c "exec $START" >/said 2>&1 &
        for ((second = 0; second < 60; second++)); do
            if grep -q "\"port\":2197" /said; then break; else sleep 1; fi
        done
        kill -TERM $!
        wait $! || status=$?
        cat /said
        exit "${status:-0}"' </dev/null >"$work/log" 2>&1 || status=$?
    ((status == 143)) && grep -q '"port":2197' "$work/log" || {
        cat "$work/log" >&2
        fail "the unit's command ended with $status"
    }
done
inside apt-get purge -qq -y pushctl >/dev/null 2>&1
left=$(inside find / -xdev -name '*pushctl*' ! -name pushctl.deb ! -path '/var/log/*' ! -path '/var/cache/*')
[[ -z $left ]] || fail "not removed: $left"
say "installs, runs, and goes away in a clean $suite"
