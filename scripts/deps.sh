#!/bin/sh
# deps.sh -- what building and testing need: brought by apt where it may, otherwise named
missing=
has() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
has re2c re2c
has lemon lemon
has g++ g++
has make make
has python3 python3
[ -e /usr/include/boost/context/fiber.hpp ] || missing="$missing libboost-context-dev"
found=
for numpy in /usr/lib/python3/dist-packages/numpy /usr/lib/python3*/site-packages/numpy; do
    [ -d "$numpy" ] && found=1
done
[ -n "$found" ] || python3 -c 'import numpy' 2>/dev/null || missing="$missing python3-numpy"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    apt-get install -y -q --no-install-recommends $missing >/dev/null 2>&1 ||
        { apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends $missing \
              >/dev/null; } && exit 0
fi
echo "missing:$missing"
echo "on Debian or Ubuntu: apt-get install$missing"
exit 1
