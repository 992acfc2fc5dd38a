#!/bin/sh
# Makes .venv hold exactly what requirements/<set>.txt pins: `sh requirements/install.sh base|postgres|dev`, from the root of the
# tree. `postgres` comes beside base. Does nothing where a stamp in .venv says that this set, or the larger one, is there already.
set -eu

set=${1:?"which set: base, postgres or dev"}

fail() {
    echo "waypost: $1" >&2
    exit 1
}

stamp() { # the stamp's name for one set: it changes when the pins or the interpreter do
    version=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo none)
    sum=$(cksum <"requirements/$1.txt" | tr ' ' -)
    echo ".venv/.waypost-$1-$sum-$version"
}

enough='import sys; sys.exit(sys.version_info < (3, 11))'

find_python() { # the first interpreter that runs and is new enough
    for name in "${PYTHON:-python3.14}" python3.14 python3.13 python3.12 python3.11 python3; do
        if "$name" -c "$enough" >/dev/null 2>&1; then
            echo "$name"
            return
        fi
    done
    return 1
}

if [ -x .venv/bin/python ] && .venv/bin/python -c "$enough" >/dev/null 2>&1; then
    [ -e "$(stamp dev)" ] && exit 0
    [ "$set" != dev ] && [ -e "$(stamp "$set")" ] && exit 0
else
    python=$(find_python) || fail "Python 3.11 or newer is needed; install it, or name it with PYTHON=/path/to/python3."
    rm -rf .venv
    echo "waypost: making .venv with $("$python" --version)"
    if command -v uv >/dev/null 2>&1; then
        uv venv -q --python "$("$python" -c 'import sys; print(sys.executable)')" .venv
    else
        "$python" -c 'import ensurepip, venv' 2>/dev/null || fail "this Python has no venv: install python3-venv."
        "$python" -m venv .venv
    fi
fi

echo "waypost: installing requirements/$set.txt"
if command -v uv >/dev/null 2>&1; then
    uv pip install -q --python .venv/bin/python --require-hashes --no-deps --compile-bytecode -r "requirements/$set.txt"
else
    .venv/bin/python -m pip --version >/dev/null 2>&1 || .venv/bin/python -m ensurepip >/dev/null
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes --no-deps -r "requirements/$set.txt"
fi
.venv/bin/python -m compileall -q src

rm -f .venv/.waypost-"$set"-*
touch "$(stamp "$set")"
