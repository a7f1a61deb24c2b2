#!/bin/bash
# coverage.sh -- which lines of translator/ the tests run: per file, by gcov, and the total
#
# usage: coverage.sh [GROUP ...]     the groups to run (default: all that run tilec; of the kernels
#                                    what a tilec does, not what comes of it)
#
# The build with --coverage (make cov) counts in build/cov. What the groups unit, launch and interp
# compile of the translator for themselves is not counted. The report alone: tests/coverage.sh none.
cd "$(dirname "$0")/.." || exit 2
gcov=${GCOV:-gcov}
command -v "$gcov" >/dev/null || { echo "coverage: there is no gcov"; exit 2; }
[ -x build/tilec-cov ] || { echo "coverage: build/tilec-cov is not built: make cov"; exit 2; }
if [ "$1" != none ]; then
    rm -f build/cov/*.gcda
    export TILEC=$PWD/build/tilec-cov TILEC_ASAN=build/tilec-cov
    if [ $# -gt 0 ]; then tests/run.sh "$@"
    else
        tests/run.sh errors frontend padding simplify rules examples interp debug launch sanitize
        echo "kernels, translated and interpreted:"
        tests/kernels/run.sh --reference
    fi
fi
"$gcov" -n -o build/cov build/cov/*.gcda 2>/dev/null | awk '
    /^File / { gsub(/\047/, ""); file = $2 }
    /^Lines executed:/ && file ~ /^translator\// {
        sub(/.*:/, "", $2)
        lines[file] += $4
        run[file] += int($4 * $2 / 100 + 0.5)
        file = ""
    }
    END {
        for (f in lines) {
            printf "%5.1f %% of %4d  %s\n", 100 * run[f] / lines[f], lines[f], f
            all += lines[f]
            hit += run[f]
        }
        printf "total %.1f %% of %d lines\n", 100 * hit / all, all
    }' | sort -k1,1 -n -s | awk '/^total/ { total = $0; next } { print } END { print total }'
