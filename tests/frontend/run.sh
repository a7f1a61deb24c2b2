#!/bin/sh
# run.sh -- the front end and the command line, under the build with sanitizers where there is one
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "$TILEC" ] && [ -x "$here/../../build/tilec-asan" ]; then
    TILEC=$here/../../build/tilec-asan
fi
export TILEC
exec python3 "$here/run.py"
