#!/usr/bin/env bash
# Makes a Debian package of pushctl, from what scripts/install.sh installs. It is for the release of Debian or Ubuntu that it is made on,
# because the names of the libraries differ between releases.
#
#   scripts/package-deb.sh [FOLDER]    default: .build-install; prints the name of the package's file
#
# PUSHCTL=path packs that program, which is built already. MAINTAINER="NAME <ADDRESS>" names who makes the package.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
maintainer=${MAINTAINER:-supervised-push <supervised-push@users.noreply.github.com>}

mkdir -p "${1:-$root/.build-install}"
folder=$(cd "${1:-$root/.build-install}" && pwd)
bash "$root/scripts/setup.sh" --deb

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
bash "$root/scripts/install.sh" --prefix /usr --destdir "$tree" >&2

version=$("$tree/usr/bin/pushctl" --version)
architecture=$(dpkg --print-architecture)
date=$(git -C "$root" log -1 --format=%cD 2>/dev/null || date -uR)

# --- What a package has beside it --------------------------------------------------------------------------------------

# Debian's zsh looks here for the completions of packages.
mkdir -p "$tree/usr/share/zsh/vendor-completions" "$tree/usr/share/doc/pushctl" "$tree/DEBIAN"
mv "$tree/usr/share/zsh/site-functions/_pushctl" "$tree/usr/share/zsh/vendor-completions/"
rmdir "$tree/usr/share/zsh/site-functions"
# Debian's own units are in /lib, which dpkg does not take for /usr/lib.
mkdir -p "$tree/lib"
mv "$tree/usr/lib/systemd" "$tree/lib/systemd"
rmdir "$tree/usr/lib"

install -m 644 "$root/packaging/debian/copyright" "$tree/usr/share/doc/pushctl/copyright"
cat >"$tree/usr/share/doc/pushctl/changelog" <<CHANGELOG
pushctl ($version) stable; urgency=medium

  * https://github.com/supervised-push/supervised-push/blob/main/CHANGELOG.md

 -- $maintainer  $date
CHANGELOG
gzip -9n "$tree/usr/share/doc/pushctl/changelog" "$tree"/usr/share/man/man1/*.1
install -m 755 "$root"/packaging/debian/{postinst,prerm} "$tree/DEBIAN/"

# --- What it depends on ------------------------------------------------------------------------------------------------

mkdir "$work/debian"
printf 'Source: pushctl\n\nPackage: pushctl\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O -e"$tree/usr/bin/pushctl" | sed -n 's/^shlibs:Depends=//p')
size=$(du -k -s --apparent-size --exclude=DEBIAN "$tree" | cut -f 1)

cat >"$tree/DEBIAN/control" <<CONTROL
Package: pushctl
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Depends: $libraries
Recommends: ca-certificates
Section: net
Priority: optional
Homepage: https://github.com/supervised-push/supervised-push
Description: pushes to the Apple Push Notification service
 pushctl sends single pushes, campaigns of any length, and broadcasts over
 supervised HTTP/2 connections, and says how each push ended. Its doctor
 names the layer that fails if nothing gets through, and its simulator is an
 APNs for tests, without an account.
CONTROL
(cd "$tree" && find usr lib -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

file=$folder/pushctl_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$tree" "$file" >&2
echo "$file"
