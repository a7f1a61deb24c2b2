# parts.awk -- looks in the dump of valid parts (first file) for the //? comments of a test (second)

FNR == NR {
    sub(/^ +/, ""); sub(/ +; [0-9]+$/, ""); gsub(/  +/, " ")
    said[$0] = 1
    name = $0; sub(/:.*/, "", name)
    of[name] = of[name] "\n    " $0
    without = $0; sub(/ pad .*/, "", without)
    said[without] = 1
    next
}

{
    text = $0
    while ((i = index(text, "//?")) > 0) {
        text = substr(text, i + 3); sub(/^ */, "", text)
        one = text; j = index(one, "//"); if (j > 0) one = substr(one, 1, j - 1)
        sub(/[ \t\r]+$/, "", one)
        n++
        if (one in said) continue
        name = one; sub(/:.*/, "", name)
        print test ":" FNR ": expected `" one "`, but the dump says" (of[name] == "" ? " nothing" : of[name])
        failed = 1
    }
}

END { exit failed || n == 0 }
