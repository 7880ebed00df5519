# Installs packages without letting them start as services of the machine.
# Arguments: names of systemd units that the packages bring, `--`, names of packages.
set -eu
# Standard output belongs to the command that installs.
exec >&2
export DEBIAN_FRONTEND=noninteractive

units=
while [ "$1" != -- ]; do
    units="$units $1"
    shift
done
shift

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi

lists_are_fresh() {
    find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mmin -1440 2>/dev/null | grep -q .
}
install() {
    apt-get -o DPkg::Lock::Timeout=180 install --yes --no-install-recommends "$@"
}

updated=
if ! lists_are_fresh; then
    apt-get -o DPkg::Lock::Timeout=180 update
    updated=yes
fi
wanted=
for package in "$@"; do
    # A package with a question mark is welcome, not needed.
    name=${package%\?}
    if [ "$name" = "$package" ] || apt-cache show "$name" >/dev/null 2>&1; then
        wanted="$wanted $name"
    fi
done
# shellcheck disable=SC2086 # package names hold no spaces
if ! install $wanted; then
    [ -z "$updated" ] || exit 1
    apt-get -o DPkg::Lock::Timeout=180 update
    # shellcheck disable=SC2086
    install $wanted
fi

if [ -d /run/systemd/system ]; then
    for unit in $units; do
        systemctl disable --quiet --now "$unit" || true
    done
fi
