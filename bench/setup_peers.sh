#!/bin/sh
# Make .venv-peers from bench/peers.lock, once, with a Python of 3.12 or newer: gfdl refuses to be imported by an
# older one. Where there is none, python3 is taken and gfdl is left out. PEERS_PYTHON=... names another interpreter.
set -eu
cd "$(dirname "$0")/.."
venv=.venv-peers
stamp=$venv/.stamp
[ -e "$stamp" ] && [ ! bench/peers.lock -nt "$stamp" ] && exit 0

# Asking each interpreter to run tells a real one from a placeholder that only points elsewhere.
works() { "$1" -c 'import sys; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' >/dev/null 2>&1; }

python=${PEERS_PYTHON:-}
if [ -z "$python" ]; then
    managed=$(pyenv root 2>/dev/null || echo /nonexistent)/versions
    for candidate in python3 python3.12 python3.13 "$managed"/3.12*/bin/python3 "$managed"/3.13*/bin/python3; do
        if works "$candidate"; then
            python=$candidate
            break
        fi
    done
fi
if [ -z "$python" ]; then
    python=python3
    echo "no Python 3.12 or 3.13 found: gfdl is left out (name one with PEERS_PYTHON)" >&2
fi

echo "Setting up $venv (once; takes a minute) ..."
"$python" -m venv --clear "$venv"
echo '*' >"$venv/.gitignore"
"$venv/bin/python" -m pip install -qq --no-input --no-deps -r bench/peers.lock
touch "$stamp"
