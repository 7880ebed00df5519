#!/bin/sh
# Downloads or installs the packages that the other arguments name. `install` lets none of them start as a service of the
# machine, and must not be killed.
set -eu
# Standard output belongs to the command that installs.
exec >&2
export DEBIAN_FRONTEND=noninteractive

step=$1
shift

update() {
    apt-get -o DPkg::Lock::Timeout=180 update
}
lists_are_fresh() {
    find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mmin -1440 2>/dev/null | grep -q .
}
install() {
    # shellcheck disable=SC2046 # package names have no spaces
    apt-get -o DPkg::Lock::Timeout=180 install --yes --no-install-recommends "$@" $(existing_packages)
}
packages=$*
existing_packages() {
    for package in $packages; do
        # A package with a question mark is installed if it exists.
        name=${package%\?}
        if [ "$name" = "$package" ] || apt-cache show "$name" >/dev/null 2>&1; then
            echo "$name"
        fi
    done
}

if [ "$step" = download ]; then
    if ! lists_are_fresh; then
        update
        install --download-only
    elif ! install --download-only; then
        update
        install --download-only
    fi
    exit
fi

enabled_units() {
    [ ! -d /run/systemd/system ] || systemctl list-unit-files --no-legend --state=enabled | cut -d' ' -f1
}
# dpkg starts no service while this file exists and its script returns 101.
policy=${POLICY:-/usr/sbin/policy-rc.d}
if [ ! -e "$policy" ]; then
    # dash runs no EXIT trap when a signal ends it.
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' HUP INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
units=$(enabled_units)
install
# The packages and their dependencies enable units, which would start at the next boot.
for unit in $(enabled_units | grep -vxF "$units"); do
    systemctl disable --quiet --now "$unit" || true
done
