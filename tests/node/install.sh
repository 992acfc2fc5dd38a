#!/bin/sh
# Installs the Node programs that some tests drive, exactly as package-lock.json pins them. Does nothing where that is done.
set -eu
cd "$(dirname "$0")"

stamp=node_modules/.waypost-$(cksum <package-lock.json | tr ' ' -)
[ -e "$stamp" ] && exit 0

command -v npm >/dev/null 2>&1 || {
    echo "waypost: npm is needed for these tests: install nodejs and npm." >&2
    exit 1
}
# Node 22 comes as a package where the machine's own is older; npm warns about the older one, which only installs.
npm ci --loglevel=error
touch "$stamp"
