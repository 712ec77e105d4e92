# shellcheck shell=bash disable=SC2154
# Cases of files: what must not be replaced, what cannot be written, what is read.
# scripts/pushctl-cases.sh reads this file, and has the functions and variables that it uses.

case_existing() {
    local before
    input e000 20 >"$work/existing.csv"
    mapfile -t command < <(bulk "$work/existing.csv" --outcomes "$work/existing.rows")
    (umask 000 && exits 0 "$pushctl" "${command[@]}")
    [[ $(stat -c %a "$work/existing.rows") == 600 ]] || fail "others can read the outcomes"
    before=$(cat "$work/existing.rows")
    exits 64 "$pushctl" "${command[@]}"
    says "add --append or --overwrite"
    [[ $(cat "$work/existing.rows") == "$before" ]] || fail "the earlier rows are gone"
    exits 0 "$pushctl" "${command[@]}" --append
    (($(wc -l <"$work/existing.rows") == 41)) || fail "--append: not one header and 40 rows"
    (($(grep -c '^line,' "$work/existing.rows") == 1)) || fail "--append: a second header"
    exits 0 "$pushctl" "${command[@]}" --overwrite
    (($(wc -l <"$work/existing.rows") == 21)) || fail "--overwrite: not one header and 20 rows"
    echo notes >"$work/notes"
    mapfile -t command < <(bulk "$work/existing.csv" --outcomes "$work/notes" --append)
    exits 64 "$pushctl" "${command[@]}"
    [[ $(cat "$work/notes") == notes ]] || fail "--append: written to another kind of file"
    # Another run has it.
    campaign locked e100 50000 --rate 500
    mapfile -t command < <(bulk "$work/existing.csv" --outcomes "$work/locked.rows" --append)
    exits 64 "$pushctl" "${command[@]}"
    says "another run is writing"
    kill -TERM "$started"
    ends "$started" 143
    compare e100 "$work/locked.rows"
}

# No file that the command reads, by whatever name, and whatever else is said.
case_inputs() {
    local file
    input e200 5 >"$work/inputs.csv"
    ln -s "$key" "$work/symbolic"
    ln "$key" "$work/hard"
    cp -r "$work/ca" "$work/untouched"
    for file in "$key" "$work/symbolic" "$work/hard" "$work/ca/ca.pem" "$work/payload.json" "$work/inputs.csv"; do
        mapfile -t command < <(bulk "$work/inputs.csv" --outcomes "$file" --overwrite)
        exits 64 "$pushctl" "${command[@]}"
        says "outcomes names "
    done
    diff -r "$work/ca" "$work/untouched" >&2 || fail "a credential was changed"
    [[ $(cat "$work/payload.json") == '{"aps"'* ]] || fail "the payload was changed"
    input e200 5 | cmp - "$work/inputs.csv" || fail "the input was changed"
}

# What is read through standard input is a file of the command as well, and one that was a pipe is not read twice.
case_streams() {
    local status=0
    input e250 5 >"$work/streams.csv"
    cp "$work/payload.json" "$work/streams.json"
    timeout 120 "$pushctl" bulk "$work/streams.csv" --payload - "${connection[@]}" --outcomes "$work/streams.json" \
        --overwrite <"$work/streams.json" >"$work/output" 2>"$work/errors" || status=$?
    ((status == 64)) || fail "exit code $status instead of 64"
    cmp -s "$work/payload.json" "$work/streams.json" || fail "the payload is gone"
    mkfifo "$work/config"
    echo '{"topic": "com.example.app"}' >"$work/config" &
    exits 0 "$pushctl" bulk "$work/streams.csv" --payload "$work/payload.json" "${connection[@]}" --config "$work/config"
    # Nothing comes from a pipe that stays open: one signal ends the waiting.
    mkfifo "$work/silent"
    sleep 150 >"$work/silent" &
    running+=($!)
    "$pushctl" bulk "$work/streams.csv" --payload - "${connection[@]}" <"$work/silent" >"$work/output" 2>"$work/errors" &
    started=$!
    running+=("$started")
    sleep 0.5
    kill -TERM "$started"
    ends "$started" 143
}

case_redirected() {
    input e300 5 >"$work/redirected.csv"
    local status
    mapfile -t command < <(bulk "$work/redirected.csv")
    status=0
    timeout 120 "$pushctl" "${command[@]}" >>"$work/redirected.csv" 2>"$work/errors" </dev/null || status=$?
    ((status == 64)) || fail "exit code $status instead of 64"
    says "standard output goes to the input itself"
    mapfile -t command < <(bulk -)
    status=0
    timeout 120 "$pushctl" "${command[@]}" <"$work/redirected.csv" >>"$work/redirected.csv" 2>"$work/errors" || status=$?
    ((status == 64)) || fail "exit code $status instead of 64"
    input e300 5 | cmp - "$work/redirected.csv" || fail "the input was changed"
    # Where it is wanted, - is standard output.
    mapfile -t command < <(bulk "$work/redirected.csv" --outcomes -)
    exits 0 "$pushctl" "${command[@]}"
    (($(wc -l <"$work/output") == 6)) || fail "--outcomes - does not write to standard output"
}

# The file is made once there is something to push, and way and credential make sense.
case_accepted() {
    echo token >"$work/header.csv"
    input e400 5 >"$work/accepted.csv"
    echo kept >"$work/kept"
    mapfile -t command < <(bulk "$work/header.csv" --outcomes "$work/never.rows")
    exits 66 "$pushctl" "${command[@]}"
    mapfile -t command < <(bulk "$work/header.csv" --outcomes "$work/kept" --overwrite)
    exits 66 "$pushctl" "${command[@]}"
    mapfile -t command < <(bulk "$work/accepted.csv" --outcomes "$work/never.rows" --no-such-flag j)
    exits 64 "$pushctl" "${command[@]}"
    mapfile -t command < <(bulk "$work/accepted.csv" --outcomes "$work/kept" --overwrite)
    exits 78 "$pushctl" "${command[@]}" --key "$work/payload.json" --key-id ABC123DEFG
    [[ ! -e $work/never.rows && $(cat "$work/kept") == kept ]] || fail "a file was made or emptied"
}

case_log() {
    exits 64 "$pushctl" simulate --credentials "$work/ca" --log "$work/log.jsonl"
    says "add --append or --overwrite"
    exits 64 "$pushctl" simulate --credentials "$work/ca" --log "$key" --overwrite
    exits 64 "$pushctl" simulate --script "$work/script.json" --log "$work/script.json" --overwrite
    exits 64 "$pushctl" simulate --credentials "$work/ca" --log "$work/log.jsonl" --append
    says "another run is writing"
}

# Nothing is written into a socket that got the number of a closed descriptor; and rows that go nowhere are no success.
case_descriptors() {
    local status=0
    input e500 50 >"$work/closed.csv"
    mapfile -t command < <(bulk "$work/closed.csv" --outcomes "$work/closed.rows")
    timeout 120 "$pushctl" "${command[@]}" <&- >&- 2>&- || status=$?
    ((status == 2)) || fail "exit code $status instead of 2, as the summary could not be written"
    (($(grep -c ',delivered,200,' "$work/closed.rows") == 50)) || fail "rows are missing"
    compare e500 "$work/closed.rows"
    status=0
    mapfile -t command < <(bulk "$work/closed.csv")
    timeout 120 "$pushctl" "${command[@]}" <&- >&- 2>"$work/errors" || status=$?
    ((status == 2)) || fail "exit code $status instead of 2, as rows could not be written"
    says "cannot write standard output"
    status=0
    timeout 120 "$pushctl" bulk - --payload "$work/payload.json" "${connection[@]}" <&- >"$work/output" 2>"$work/errors" ||
        status=$?
    ((status == 66)) || fail "exit code $status instead of 66"
}
