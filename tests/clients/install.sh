#!/bin/sh
# Installs the coding agents that some tests drive, exactly as package-lock.json pins them. Does nothing where that is done.
set -eu
cd "$(dirname "$0")"

stamp=node_modules/.waypost-$(cksum <package-lock.json | tr ' ' -)
[ -e "$stamp" ] && exit 0

command -v npm >/dev/null 2>&1 || {
    echo "waypost: npm is needed for these tests: install nodejs and npm." >&2
    exit 1
}
npm ci --loglevel=error --no-audit --no-fund
touch "$stamp"
