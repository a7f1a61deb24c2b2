# expect.awk -- compares what tilec said (second file) with the //! comments of a test (first file)

function fail(text) { print test ": " text; failed = 1 }

# One announcement: `error: text [E0502]`, for this line of the test or for FILE:LINE after `at`.
function announce(text, line,    place, kind) {
    place = test ":" line
    if (text ~ /^options:/) return
    if (text ~ /^at [^ ]+:[0-9]+: /) {
        place = text; sub(/^at /, "", place); sub(/: .*/, "", place)
        sub(/^at [^ ]+: /, "", text)
    }
    kind = text; sub(/:.*/, "", kind)
    sub(/^[a-z]+: */, "", text); sub(/[ \t\r]+$/, "", text)
    n++; place_of[n] = place; kind_of[n] = kind; text_of[n] = text
    code_of[n] = ""
    if (match(text, / *\[E[0-9]+\]$/)) {
        code_of[n] = substr(text, RSTART); gsub(/[ \[\]]/, "", code_of[n])
        text_of[n] = substr(text, 1, RSTART - 1)
    }
}

# Is announcement i this report?
function meets(i, place, kind, message,    name) {
    if (place_of[i] != place || kind_of[i] != kind) return 0
    if (code_of[i] != "" && index(message, "[" code_of[i] "]") == 0) return 0
    if (kind != "warning") return index(message, text_of[i]) > 0
    name = text_of[i]; sub(/[: ].*/, "", name)
    if (index(message, "[" name "]") + index(message, "[-W" name "]") == 0) return 0
    name = text_of[i]; sub(/^[^: ]+[: ]*/, "", name)
    return name == "" || index(message, name) > 0
}

function report(place, kind, message,    i) {
    for (i = 1; i <= n; i++) if (!met[i] && meets(i, place, kind, message)) { met[i] = 1; return }
    if (kind == "note")                             # one may belong to several errors
        for (i = 1; i <= n; i++) if (meets(i, place, kind, message)) return
    if (kind != "help") fail("not announced: " place ": " kind ": " message)
}

FNR == NR {
    if ($0 !~ /^[ \t]*\/\/!/) at = FNR
    text = $0
    while ((i = index(text, "//!")) > 0) {
        text = substr(text, i + 3); sub(/^ */, "", text)
        one = text; j = index(one, "//!"); if (j > 0) one = substr(one, 1, j - 1)
        announce(one, at)
    }
    next
}

match($0, /^[^ :]*:[0-9]+:[0-9]+: (error|warning|note): /) {
    head = substr($0, 1, RLENGTH - 2); message = substr($0, RLENGTH + 1)
    split(head, part, ":")
    kind = part[4]; sub(/^ */, "", kind)
    report(part[1] ":" part[2], kind, message)
    if (kind != "note") last = part[1] ":" part[2]
    if (kind == "error") errors = 1
    next
}
/^tilec: (error|warning): / { kind = $2; sub(/:$/, "", kind); last = "tilec:0"; errors = 1
                              message = $0; sub(/^tilec: [a-z]+: /, "", message)
                              report(last, kind, message); next }
/^ *(= )?help: / { message = $0; sub(/^ *(= )?help: /, "", message); report(last, "help", message); next }
/Sanitizer|runtime error:|Assertion/ { fail($0) }

END {
    for (i = 1; i <= n; i++)
        if (!met[i]) fail("did not come: " place_of[i] ": " kind_of[i] ": " text_of[i] \
                          (code_of[i] != "" ? " [" code_of[i] "]" : ""))
    if (status + 0 != (errors ? 1 : 0)) fail("exit status " status)
    exit failed
}
