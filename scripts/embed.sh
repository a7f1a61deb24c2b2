#!/bin/sh
# embed.sh -- the sections of text files as C strings: the table of templates linked into tilec
#
# A section begins with a line `// ---- NAME` and ends before the next one.
# usage: embed.sh FILE... >build/templates.c
set -eu
echo 'const struct Section { const char *file, *name, *text; } template_sections[] = {'
for file in "$@"; do
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' "$file" | awk -v file="$(basename "$file")" '
        /^\/\/ ---- / { end(); on = 1; printf "    { \"%s\", \"%s\",\n", file, $3; next }
        on && /^ *$/ { empty = empty "      \"\\n\"\n"; next }
        on { printf "%s      \"%s\\n\"\n", empty, $0; empty = ""; lines++ }
        function end() { if (on) print lines ? "    }," : "      \"\" },"; empty = ""; lines = 0 }
        END { end() }'
done
echo '};'
echo 'const int template_section_count = sizeof template_sections / sizeof *template_sections;'
