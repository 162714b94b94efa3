#!/bin/sh
# Make the virtual environment $1 with a Python >= 3.11 that has venv; say what is missing where there is none.
set -u
venv=$1
if "$venv/bin/python" -c 'import pip' 2>/dev/null; then exit 0; fi

found=""
for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if ! "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        found="$found $name is Python $version, too old;"
        continue
    fi
    if ! "$name" -c 'import venv, ensurepip' 2>/dev/null; then
        found="$found $name is Python $version without venv (on Debian: apt-get install python$version-venv);"
        continue
    fi
    echo "Making $venv with Python $version ($name)"
    # The pip and setuptools that come with a Python may be years old.
    if "$name" -m venv --upgrade-deps "$venv"; then exit 0; fi
    found="$found $name could not make $venv;"
done
echo "error: Tessera needs Python 3.11 or newer with its venv module.${found:+ Found:$found}" >&2
echo "Install one, or name it: make run PYTHON=/path/to/python3.12" >&2
exit 1
