#!/usr/bin/env bash
# Builds pushctl with the Swift runtime and the push inbox inside (the trait Server), and installs it with its manual, its completions for
# bash, zsh and fish, and the units that run the simulator and a worker under systemd. The manual and the completions are made from the parser,
# so they have every command and flag.
#
#   scripts/install.sh [--prefix DIR] [--destdir DIR]
#
#   --prefix DIR     where it will live; /usr/local when left out
#   --destdir DIR    a folder that stands in for /, to make a package of
#
# The build takes a few minutes. PUSHCTL=path installs that program, which is built already.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
    echo "install: $*" >&2
    echo "usage: scripts/install.sh [--prefix DIR] [--destdir DIR]" >&2
    exit 64
}

prefix=/usr/local destdir=
while (($# > 0)); do
    case $1 in
    --prefix | --destdir)
        [[ -n ${2:-} ]] || usage "$1 needs a folder"
        printf -v "${1#--}" %s "$2"
        shift 2
        ;;
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) usage "unknown argument '$1'" ;;
    esac
done
[[ $prefix == /* ]] || usage "--prefix '$prefix' is not an absolute path"
prefix=${prefix%/}

say() { printf 'install: %s\n' "$*" >&2; }

# Whether this user may write to what exists of a folder's path. Known before the build, which takes minutes.
may_write() {
    local folder=$1
    while [[ ! -e $folder ]]; do folder=$(dirname "$folder"); done
    [[ -d $folder && -w $folder ]]
}
target=$destdir$prefix
as_owner=()
if ! may_write "${target:-/}"; then
    command -v sudo >/dev/null 2>&1 || {
        say "you may not write to $target, and there is no sudo. Run this as root, or give --prefix \"\$HOME/.local\"."
        exit 73
    }
    as_owner=(sudo)
fi

# --- Build -----------------------------------------------------------------------------------------------------------

# A folder of its own: the flag --static-swift-stdlib would make other builds start again.
scratch=$root/.build-install
build=(swift build --package-path "$root" --scratch-path "$scratch" -c release --static-swift-stdlib --traits Server \
    --product pushctl)

bash "$root/scripts/setup.sh"
if [[ -z ${PUSHCTL:-} ]]; then
    say "building pushctl, which takes a few minutes"
    "${build[@]}" >&2
    PUSHCTL=$("${build[@]}" --show-bin-path)/pushctl
else
    swift package --package-path "$root" --scratch-path "$scratch" resolve >&2
fi

# The parser's own tool for manuals. It has no product that a package could depend on, so it is built where it lies.
say "building the tool that writes the manual"
parser=$scratch/checkouts/swift-argument-parser
manual=(swift build --package-path "$parser" --scratch-path "$scratch/manual" --product generate-manual)
"${manual[@]}" >&2
make_manual=$("${manual[@]}" --show-bin-path)/generate-manual

# --- The tree, first in a folder of its own, so that a failure installs nothing -----------------------------------------

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
version=$("$PUSHCTL" --version)
top=$tree$prefix

install -d "$top/bin" "$top/share/man/man1"
install -m 755 "$PUSHCTL" "$top/bin/pushctl"
strip "$top/bin/pushctl"

# The same source makes the same pages: they have the date of the commit where there is one.
date=$(git -C "$root" log -1 --format=%cs 2>/dev/null || date -u "+%Y-%m-%d")
pages=$tree.manual
trap 'rm -rf "$tree" "$pages"' EXIT
mkdir "$pages"
"$make_manual" "$PUSHCTL" --multi-page --date "$date" --output-directory "$pages"
for page in "$pages"/*.1; do
    # The tool calls a page pushctl.send and what it is about "pushctl send". `man pushctl send` finds it, and whatis can read it, if it is
    # pushctl-send in its file's name, its title, its first section and the references to it.
    command=$(basename "$page" .1)
    name=${command//./-}
    sed -E -e '/^\.Dt /s/\./-/g2' -e '/^\.Xr /s/([a-z])\.([a-z])/\1-\2/g' -e "s/^\.Os\$/.Os pushctl $version/" \
        -e "s/^\.Nm \".*/.Nm $name/" -e "s/^\.Nm\$/.Nm \"${command//./ }\"/" \
        -e '/^\.Nd /s/"//g' -e '/^\.Nd /s/\.$//' -e 's/^$/.Pp/' \
        -e 's/^\.Ex -std.*/The codes of all commands are in the description of\n.Xr pushctl 1 ./' "$page" >"$top/share/man/man1/$name.1"
done

# complete SHELL FILE
complete() {
    install -d "$(dirname "$top/$2")"
    "$PUSHCTL" --generate-completion-script "$1" | sed '1{/^#!/d;}' >"$top/$2" # read by a shell, not run
}
complete bash share/bash-completion/completions/pushctl
complete zsh share/zsh/site-functions/_pushctl
complete fish share/fish/vendor_completions.d/pushctl.fish

# systemd looks for units below these prefixes only.
if [[ $prefix == /usr || $prefix == /usr/local ]]; then
    install -d "$top/lib/systemd/system"
    for unit in "$root"/packaging/systemd/*.service; do
        sed "s|/usr/bin/pushctl|$prefix/bin/pushctl|" "$unit" >"$top/lib/systemd/system/$(basename "$unit")"
    done
fi
find "$top"/{lib,share} -type f -exec chmod 644 {} + 2>/dev/null || true

# --- To its place ------------------------------------------------------------------------------------------------------

"${as_owner[@]}" mkdir -p "${target:-/}"
# A program that runs cannot be written to; it can be replaced.
"${as_owner[@]}" cp -R --remove-destination "$top/." "${target:-/}"
say "pushctl $version is in ${target}/bin; try: pushctl demo"
[[ -n $destdir || :$PATH: == *:$prefix/bin:* ]] || say "$prefix/bin is not on your PATH"
