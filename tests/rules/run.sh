#!/bin/sh
# run.sh -- every example of docs/language.md, and a rule without one; options as scripts/rules.py has them
python=$(command -v python3) || {
    echo "rules: no python3"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
exec "$python" "$(dirname "$0")/../../scripts/rules.py" "$@"
