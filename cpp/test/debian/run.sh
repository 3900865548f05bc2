#!/bin/sh
# Debian's packages of a build with STEPTREE_BUILD_BOTH: made, installed in a root that has nothing of steptree, used there as the guide
# says, and removed.
#
#     run.sh [BUILD]     needs root, mmdebstrap, dpkg-dev, lintian, and Debian's mirror
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$top/build/dev}" && pwd)
work=$top/build/debianroot # not build/debian, where the preset builds
root=$work/root

run() {
    "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*" >&2; exit 1; }
}

[ "$(id -u)" = 0 ] || { echo "a clean root needs root" >&2; exit 1; }
rm -rf "$work"
mkdir -p "$work"
run cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work"
for name in libsteptree[0-9]* libsteptree-dev libsteptree-doc; do
    # shellcheck disable=SC2086 # it is a pattern
    [ "$(find "$work" -maxdepth 1 -name "$name"_'*.deb' | wc -l)" = 1 ] || { echo "no package $name" >&2; exit 1; }
done
run lintian --allow-root --fail-on error "$work"/*.deb
echo "packages: ok"

# The root has what the packages depend on, and no more: dpkg refuses them if something is missing. Pages of others are no use there.
depends=$(for deb in "$work"/*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/^ *//; s/[ (|].*//; /^libsteptree/d; /^$/d' | sort -u)
run mmdebstrap --quiet --mode=root --variant=essential --include="g++,cmake,make,pkg-config,$(echo "$depends" | tr '\n' ',' | sed 's/,$//')" \
    --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
mkdir -p "$root/user"
cp -r "$work"/*.deb "$top/cpp/test/consumer" "$here/user.sh" "$root/user"
run env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C chroot "$root" sh /user/user.sh
cat "$work/log"
rm -rf "$root"
