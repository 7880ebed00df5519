# Installs the packages that the arguments name, without letting them start as services of the machine.
set -eu
# Standard output belongs to the command that installs.
exec >&2
export DEBIAN_FRONTEND=noninteractive

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi

lists_are_fresh() {
    find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mmin -1440 2>/dev/null | grep -q .
}
enabled_units() {
    [ ! -d /run/systemd/system ] || systemctl list-unit-files --no-legend --state=enabled | cut -d' ' -f1
}
install() {
    apt-get -o DPkg::Lock::Timeout=180 install --yes --no-install-recommends "$@"
}

updated=
if ! lists_are_fresh; then
    apt-get -o DPkg::Lock::Timeout=180 update
    updated=yes
fi
units=$(enabled_units)
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

# The packages and their dependencies enable units, which would start at the next boot.
for unit in $(enabled_units | grep -vxF "$units"); do
    systemctl disable --quiet --now "$unit" || true
done
