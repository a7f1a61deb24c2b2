# count.awk -- counts the operations of a dump (first file) against the //? lines of a test (second)

FNR == NR {
    line = $0
    if (line ~ /error/) print test ": " line
    sub(/^.* = /, "", line); sub(/^ +/, "", line); sub(/ .*/, "", line)
    count[line]++
    next
}

/\/\/\?/ {
    sub(/.*\/\/\? */, "")
    n = split($0, wanted, /, */)
    for (i = 1; i <= n; i++) {
        split(wanted[i], pair, " ")
        all++
        if (count[pair[1]] + 0 == pair[2] + 0) continue
        print test ": " count[pair[1]] + 0 " of `" pair[1] "`, not " pair[2]
        failed = 1
    }
}

END { exit failed || !all }
