#!/bin/sh
# Make .venv-peers/NAME from bench/peers/locks/NAME.lock, once each, or only those that are named, with a Python of
# 3.12 or 3.13: gfdl refuses to be imported by an older one. Where there is none, python3 is taken.
# PEERS_PYTHON=... names another interpreter. One that does not install is said so, and the others go on.
set -eu
cd "$(dirname "$0")/.."
locks=bench/peers/locks

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
python=${python:-python3}

[ $# -gt 0 ] || set -- $(cd "$locks" && ls *.lock | sed 's/\.lock$//')
for name; do
    lock=$locks/$name.lock venv=.venv-peers/$name
    [ -e "$venv/.stamp" ] && [ ! "$lock" -nt "$venv/.stamp" ] && continue
    echo "Setting up $venv (once) ..."
    rm -rf "$venv"
    mkdir -p "$venv"
    # Everything a library needs is in its lock file, and nothing else.
    if "$python" -m venv "$venv" >"$venv.log" 2>&1 \
        && "$venv/bin/python" -m pip install -qq --no-input --no-deps -r "$lock" >>"$venv.log" 2>&1; then
        touch "$venv/.stamp"
    else
        echo "$name does not install here: $(tail -n 1 "$venv.log")" >&2
    fi
done
