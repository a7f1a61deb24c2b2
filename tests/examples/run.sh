#!/bin/sh
# run.sh -- the committed .cu and .h of the examples are what tilec makes of their .tile
exec "$(dirname "$0")/../../scripts/examples.sh" --check
