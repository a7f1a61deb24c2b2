#!/bin/sh
# embed.sh -- text files as C strings: the table of templates that is linked into tilec
#
# usage: embed.sh FILE... >build/templates.c
set -eu
echo 'const struct Template { const char *file, *text; } template_files[] = {'
for file in "$@"; do
    printf '    { "%s",\n' "$(basename "$file")"
    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/      "/' -e 's/$/\\n"/' "$file"
    echo '    },'
done
echo '};'
echo "const int template_file_count = $#;"
