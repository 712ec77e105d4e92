#!/usr/bin/env bash
# Runs the shell commands of the README, and of the pages about pushctl, the doctor, scripts, workers, metrics, queues, the inbox, push types and broadcasts, as they
# stand there, against the simulator. Those of the queues need redis-server, and are skipped without it.
#
#   scripts/commands.sh    builds pushctl first; PUSHCTL names one that is built already
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ -z ${PUSHCTL:-} ]]; then
    swift build --package-path "$root" --traits Server --product pushctl >&2
    PUSHCTL=$(swift build --package-path "$root" --traits Server --show-bin-path)/pushctl
fi
folder=$(mktemp -d)
group=
clean_up() {
    if [[ -n $group ]]; then kill -KILL -- "-$group" 2>/dev/null || true; fi
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The README's reader has installed pushctl.
mkdir -p "$folder/bin"
ln -s "$(cd "$(dirname "$PUSHCTL")" && pwd)/$(basename "$PUSHCTL")" "$folder/bin/pushctl"

# blocks LANGUAGE FILE: the code blocks of a page, each ended by a line ``` of its own.
blocks() {
    awk -v fence='```' -v language="$1" '
        $0 == fence language { inside = 1; next }
        $0 == fence && inside { inside = 0; print fence; next }
        inside' "$2"
}

# run NAME: runs what standard input says in an empty folder, and ends what it left running.
run() {
    local name=$1 place=$folder/$((++count)) status=0
    mkdir -p "$place"
    cat >"$place/commands.sh"
    set -m # a process group for each
    (cd "$place" && PATH=$folder/bin:$PATH exec bash -euo pipefail commands.sh) >"$place/log" 2>&1 </dev/null &
    group=$!
    set +m
    # Not longer than this, whatever hangs.
    (
        for ((second = 0; second < 300; second++)); do
            sleep 1
            kill -0 "$group" 2>/dev/null || exit 0
        done
        echo "still running after 300 s" >>"$place/log"
        kill -KILL -- "-$group"
    ) 2>/dev/null &
    local guard=$!
    wait "$group" || status=$?
    kill "$guard" 2>/dev/null || true
    kill -TERM -- "-$group" 2>/dev/null || true
    group=
    if ((status != 0)); then
        printf '%s failed (exit code %d):\n' "$name" "$status"
        cat "$place/commands.sh"
        printf -- '---- it said:\n'
        tail -n 40 "$place/log"
        exit 1
    fi
    printf '%s runs as it stands\n' "$name"
}
count=0

# Each block that needs pushctl. The others have checkouts and builds of their own, and are steps of scripts/test.sh.
for page in README.md docs/pushctl.md docs/doctor.md docs/simulator-script.md docs/worker.md docs/metrics.md; do
    block=
    number=0
    while IFS= read -r line; do
        if [[ $line != '```' ]]; then
            block+=$line$'\n'
            continue
        fi
        number=$((number + 1))
        if [[ $block == *pushctl* ]]; then run "$page, block $number" <<<"$block"; fi
        block=
    done < <(blocks bash "$root/$page")
done

# The page of the inbox: its first command runs until it is ended, and prints what the others need.
{
    cat <<'BEFORE'
pushctl inbox >said &
until grep -q '^Try it' said; do sleep 0.1; done
eval "$(grep export said)"
pushctl send aabb --title Gate --body B12
python3 - <<'SAMPLE'
BEFORE
    blocks python "$root/docs/inbox.md" | grep -vx '```' | sed 's|"http://127.0.0.1:8035"|__import__("os").environ["PUSHCTL_SIMULATOR_INBOX"]|'
    echo SAMPLE
    blocks bash "$root/docs/inbox.md" | grep -vx '```' | sed 's|http://127.0.0.1:8035|$PUSHCTL_SIMULATOR_INBOX|'
    echo '{ pushctl send aabb --body B13 || true; } | grep 410'
} | run docs/inbox.md

# What a producer and an operator type for a queue on Redis, on a server of its own.
if command -v redis-server >/dev/null; then
    {
        printf 'port=%d\n' $((20000 + RANDOM % 10000))
        cat <<'BEFORE'
redis-server --port "$port" --bind 127.0.0.1 --save "" >redis.log &
redis-cli() { command redis-cli -e -p "$port" "$@"; }
until redis-cli PING; do kill -0 $!; sleep 0.1; done
TOKEN=$(printf %064d 1) PASSWORD=sesame
BEFORE
        blocks bash "$root/docs/queue.md" | grep -vx '```'
        cat <<'AFTER'
PUSHCTL_QUEUE_PASSWORD=$PASSWORD pushctl queue status --name orders --queue "redis://worker@127.0.0.1:$port" | grep -E 'waiting +1 '
export PUSHCTL_QUEUE="redis://127.0.0.1:$port" TOKEN
pushctl simulate --write-config apns.json -- bash -c '
    pushctl worker --name orders --config apns.json &
    pushctl queue outcomes --name orders --follow --json --position-file position >rows.json &
    until [ -s position ]; do sleep 0.1; done
    kill %1 %2
    wait' || [ $? -lt 126 ]
[ "$(grep -c "$TOKEN" rows.json)" = 1 ]
for ((try = 0; try < 2; try++)); do
    /usr/bin/python3 - <<'SAMPLE'
AFTER
        blocks python "$root/docs/queue.md" | awk '$0 == fence { block++; next } block == 1' fence='```' | sed 's|redis.Redis(|&port=int(__import__("os").environ["PUSHCTL_QUEUE"].rsplit(":", 1)[1]), |'
        cat <<'AFTER'
SAMPLE
done >consumed
grep -x "$TOKEN delivered " consumed
[ "$(wc -l <consumed)" = 1 ]
AFTER
    } | run docs/queue.md
else
    echo "docs/queue.md is skipped: there is no redis-server"
fi

# The pages, in the shell that the first command of the first of them opens.
{
    commands=$(for page in "$root"/docs/push-types/{README,special}.md "$root/docs/broadcast.md"; do blocks sh "$page"; done)
    opens=${commands%%$'
```'*}
    printf "%s -euo pipefail <<'PAGES'
" "$opens"
    # The file of the section about MDM, which needs a certificate.
    cat <<'MDM'
printf '{"host":"%s","port":%d,"trust-roots":"%s","certificate":"%s","private-key":"%s","topic":"%s"}' \
    "$PUSHCTL_SIMULATOR_HOST" "$PUSHCTL_SIMULATOR_PORT" "$PUSHCTL_SIMULATOR_TRUST_ROOTS" \
    "$PUSHCTL_SIMULATOR_CERTIFICATE" "$PUSHCTL_SIMULATOR_PRIVATE_KEY" "$PUSHCTL_SIMULATOR_TOPIC" >mdm.json
MDM
    printf '%s
' "${commands#"$opens"}"
    echo PAGES
} | grep -vx '```' | run "docs/push-types and docs/broadcast.md"
