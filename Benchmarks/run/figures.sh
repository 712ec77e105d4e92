# One function for each figure of Benchmarks/run.sh: runs ours and the others, and appends their lines. To be sourced.

# ours COMMAND SUBJECT [ARGUMENT...]: a command of PushBench on the client's core.
ours() {
    local command=$1 subject=$2
    shift 2
    "${client_core[@]}" "$bench" "$command" "${server_flags[@]}" --port "$port" --subject "$subject" --round "$round" "$@" \
        >>"$lines"
}

# child SUBJECT FIGURE PUSHES [FLAG...] -- COMMAND...: another program on the client's core.
child() {
    local subject=$1 figure=$2 count=$3
    shift 3
    "${client_core[@]}" "$bench" child --subject "$subject" --figure "$figure" --round "$round" --pushes "$count" \
        --output "$work/$subject.log" "$@" >>"$lines"
}

# The command line of h2load for a number of pushes, and a number at a time.
h2load_command() {
    local count=$1 at_a_time=$2
    shift 2
    command=(h2load -c1 "-m$at_a_time" "-n$count" -i "$work/uris.txt" -d "$work/payload.json" "${headers[@]}"
        -H "authorization: bearer $(<"$work/bearer.txt")" "$@")
}

# What a client's start costs, in microseconds of processor time: a run with one push.
start_up() {
    "${client_core[@]}" "$bench" child --subject start --pushes 1 --output "$work/start.log" -- "$@" |
        sed -n 's/.*"cpu_total_us":\([0-9.]*\).*/\1/p'
}

h2load_push() {
    has h2load || return 0
    h2load_command 1 1
    local start
    start=$(start_up "${command[@]}")
    h2load_command "$pushes" 1000
    child h2load push "$pushes" --start-up "$start" -- "${command[@]}"
}

# The command line of pushctl bulk for a number of pushes, with its input.
bulk_command() {
    local count=$1
    shift
    awk -v count="$count" 'NR == 1 { print; next } { rows[NR - 2] = $0 }
        END { for (i = 0; i < count; i++) print rows[i % (NR - 1)] }' "$work/tokens.csv" >"$work/rows.csv"
    command=("$pushctl" bulk "$work/rows.csv" --outcomes "$work/outcomes.csv" --overwrite --payload "$work/payload.json"
        --host localhost --port "$port" "${server_flags[@]}" --progress none "$@")
}

# bulk_push CONNECTIONS
bulk_push() {
    local start subject='pushctl bulk'
    (($1 == 1)) || subject="pushctl bulk, pool of $1"
    bulk_command 1 --connections "$1"
    start=$(start_up "${command[@]}")
    bulk_command "$pushes" --connections "$1"
    child "$subject" push "$pushes" --start-up "$start" -- "${command[@]}"
}

# Full load on one connection, and pushctl bulk on four, too; who is first changes from round to round.
figure_push() {
    local warm=(--pushes "$pushes" --warm-up $((pushes / 15)))
    local turns=(
        'h2load_push'
        'ours push completion --form completion'
        'ours push async --form async'
        'ours push own_ids --form completion --apns-id generated'
        'ours push async_own_ids --form async --apns-id generated'
        'ours push personalised --form async --payload personalised'
        'bulk_push 1'
        'bulk_push 4'
    )
    local turn count=${#turns[@]} words
    for ((turn = 0; turn < count; turn++)); do
        read -ra words <<<"${turns[(turn + round - 1) % count]}"
        if [[ ${words[0]} == ours ]]; then words+=("${warm[@]}"); fi
        "${words[@]}"
    done
}

# start_relay SUBJECT FIGURE COUNT DELAY: what goes to port $relay is counted and delayed by DELAY ms each way.
start_relay() {
    local own=$port
    choose_port
    relay=$port port=$own
    "${server_core[@]}" "$bench" relay --subject "$1" --figure "$2" --round "$round" --listen "$relay" --to "$port" \
        --pushes "$3" --delay "$4" --patience 600 >"$work/relay.json" &
    relay_process=$!
    processes+=("$relay_process")
    wait_for_port "$relay"
}

end_relay() {
    wait "$relay_process"
    unset 'processes[-1]'
}

# Bytes and TLS records, counted on their way.
figure_wire() {
    local count=$((pushes / 6))
    if has h2load; then
        start_relay h2load wire "$count" 0
        h2load_command "$count" 1000 "--connect-to=localhost:$relay"
        "${client_core[@]}" "${command[@]}" >"$work/h2load.log"
        end_relay
        cat "$work/relay.json" >>"$lines"
    fi
    local identity subject
    for identity in by-server generated; do
        subject=completion
        [[ $identity == generated ]] && subject=own_ids
        start_relay "$subject" wire "$count" 0
        "${client_core[@]}" "$bench" push "${server_flags[@]}" --port "$relay" --subject unused --pushes "$count" \
            --warm-up 0 --apns-id "$identity" >/dev/null
        end_relay
        cat "$work/relay.json" >>"$lines"
    done
}

# at_a_distance FIGURE COUNT LIMIT: full load on one connection, 25 ms each way; LIMIT is the most pushes a second that this allows.
# Many pushes, so that the first and the last round trip do not count.
at_a_distance() {
    local figure=$1 count=$2 limit=$3
    if has h2load; then
        start_relay h2load "$figure" "$count" 25
        h2load_command "$count" 1000 "--connect-to=localhost:$relay"
        child h2load "$figure" "$count" --limit "$limit" -- "${command[@]}"
        end_relay
    fi
    start_relay completion "$figure" "$count" 25
    "${client_core[@]}" "$bench" push "${server_flags[@]}" --port "$relay" --subject completion --figure "$figure" \
        --round "$round" --pushes "$count" --warm-up $((count / 10)) --limit "$limit" >>"$lines"
    end_relay
}

# At most 1,000 pushes in 50 ms.
figure_delayed() { at_a_distance delayed $((pushes * 2)) 20000; }

# The window of HTTP/2 that nobody enlarged: at most 65,535 bytes of bodies in 50 ms, each of 164.
figure_window() {
    if [[ $kind == simulator ]]; then
        leave_out 'window: the simulator has its own'
        return 0
    fi
    local own=$port
    choose_port
    serve_fast --window 65535
    at_a_distance window $((pushes / 2)) 7992
    kill "${processes[-1]}" 2>/dev/null || true
    unset 'processes[-1]'
    port=$own
}

# trace SUBJECT COUNT COMMAND...: system calls that write to a socket or read from it, per push.
trace() {
    local subject=$1 count=$2
    shift 2
    strace -f -qq -c -e trace=write,writev,sendto,sendmsg,read,recvfrom,recvmsg -o "$work/calls" "$@" >"$work/traced.log" 2>&1
    awk -v count="$count" -v subject="$subject" -v round="$round" '
        $NF ~ /^(write|writev|sendto|sendmsg)$/ { writes += $4 }
        $NF ~ /^(sendto|sendmsg)$/ { sends += $4 }
        $NF ~ /^(read|recvfrom|recvmsg)$/ { reads += $4 }
        END {
            printf "{\"figure\":\"calls\",\"subject\":\"%s\",\"round\":%d,", subject, round
            printf "\"values\":{\"writes\":%f,\"sends\":%f,\"reads\":%f}}\n", writes / count, sends / count, reads / count
        }' "$work/calls" >>"$lines"
}

# Once is enough: calls are counted, not timed.
figure_calls() {
    ((round == 1)) || return 0
    if ! has strace || ! strace -qq -o /dev/null true 2>/dev/null; then
        leave_out "system calls per push: strace is missing or not permitted"
        return 0
    fi
    local count=$((pushes / 10))
    if has h2load; then
        h2load_command "$count" 1000
        trace h2load "$count" "${client_core[@]}" "${command[@]}"
    fi
    local form
    for form in completion async; do
        trace "$form" "$count" "${client_core[@]}" "$bench" push "${server_flags[@]}" --port "$port" --subject unused \
            --form "$form" --pushes "$count" --warm-up 0
    done
}

# One push at a time.
figure_single() {
    local count=$((pushes / 30))
    if has h2load; then
        h2load_command "$count" 1 --log-file "$work/latencies.log"
        child h2load single "$count" --latencies "$work/latencies.log" -- "${command[@]}"
    fi
    ours single async --form async --pushes "$count"
    ours single completion --form completion --pushes "$count"
}

# Latencies at shares of a client's own full load, which is measured right before, because it changes with what else runs;
# ours also right after, and in the same way: calls from another thread.
# Ours count from when a push was due, h2load's from when it was made. The machine alone is the control: what delays it delays ours.
figure_paced() {
    local full percent rate count percents=(25 50 75 90 95) seconds=4
    [[ -z $smoke ]] || percents=(50 95) seconds=1
    for percent in "${percents[@]}"; do
        ours paced ours --figure "paced at $percent %" --share "$percent" --seconds "$seconds"
        ours paced 'machine alone' --figure "paced at $percent %" --share "$percent" --seconds "$seconds" --bare
    done
    has h2load || return 0
    h2load_command "$pushes" 1000
    child h2load 'full load' "$pushes" -- "${command[@]}"
    full=$(last_pushes_per_second)
    for percent in "${percents[@]}"; do
        rate=$((full * percent / 100 + 1))
        count=$((rate * seconds))
        h2load_command "$count" 1000 "--rps=$rate" --log-file "$work/latencies.log"
        child h2load "paced at $percent %" "$count" --latencies "$work/latencies.log" -- "${command[@]}"
    done
}

# Of the line that was written last.
last_pushes_per_second() { sed -n '$s/.*"pushes_per_s":\([0-9]*\).*/\1/p' "$lines"; }

# What an overload costs for each push that the call refuses.
figure_refused() { ours refused ours --pushes "$pushes"; }

figure_first() { ours first ours --delay 50; }

figure_hole() {
    ours black-hole ours --seconds "$([[ -n $smoke ]] && echo 3 || echo 10)" --rate "$([[ -n $smoke ]] && echo 200 || echo 5000)"
}

# hold COUNT BASE: what h2load's connections cost it; each makes a push and then waits an hour for the next.
hold() {
    local device
    device=$(head -n 1 "$work/uris.txt")
    printf '0.0\t%s\n3600000.0\t%s\n' "$device" "$device" >"$work/timing.txt"
    "$bench" hold --subject h2load --round "$round" --connections "$1" --base "$2" --output "$work/hold.log" -- \
        h2load "-c$1" -d "$work/payload.json" "${headers[@]}" -H "authorization: bearer $(<"$work/bearer.txt")" \
        "--timing-script-file=$work/timing.txt"
}

# Each of our connections takes two descriptors.
connection_counts() {
    local most=$((($(ulimit -n) - 500) / 2 / 1000 * 1000))
    if [[ -n $smoke ]]; then echo 50; else echo 1000 $((most < 10000 ? most : 10000)); fi
}

figure_idle() {
    local count base
    for count in $(connection_counts); do
        if has h2load; then
            base=$(hold 1 0 | sed -n 's/.*"resident_kib":\([0-9.]*\).*/\1/p')
            hold "$count" "$base" >>"$lines"
        fi
        "$bench" idle "${server_flags[@]}" --port "$port" --subject ours --round "$round" --connections "$count" >>"$lines"
    done
}

# On all cores: what is counted is threads.
figure_busy() {
    ((round == 1)) || return 0
    local count form
    for count in $(connection_counts); do
        for form in completion async; do
            "$bench" busy "${server_flags[@]}" --port "$port" --subject "$form" --round "$round" --form "$form" \
                --connections "$count" >>"$lines"
        done
    done
}

# A campaign: memory must not grow with it.
figure_million() {
    ((round == 1)) || return 0
    local count=1000000
    [[ -n $smoke ]] && count=10000
    bulk_command "$count"
    child 'pushctl bulk' million "$count" -- "${command[@]}"
    rm -f "$work/rows.csv"
}

# Others from the registries, which are too slow for as many pushes. aapns wants a Python from before 3.9.
figure_peers() {
    if [[ -n $smoke ]]; then
        leave_out "aioapns: the smoke run installs nothing"
        return 0
    fi
    local python=$work/python
    if [[ ! -x $python/bin/python3 ]]; then
        if ! python3 -m venv "$python" >"$work/pip.log" 2>&1 ||
            ! "$python/bin/pip" --quiet --disable-pip-version-check install 'aioapns==4.0' >>"$work/pip.log" 2>&1; then
            rm -rf "$python"
            leave_out "aioapns: it could not be installed"
            return 0
        fi
    fi
    if [[ $kind != fast ]]; then
        push_with_aioapns
        return 0
    fi
    # aioapns knows an answer by the apns-id that it sent itself, which the fast server does not read.
    local port key key_id team_id topic outer=$work
    local work=$work/simulator
    mkdir -p "$work"
    cp "$outer/payload.json" "$outer/uris.txt" "$work"
    start_simulator
    push_with_aioapns
    end_simulator
}

end_simulator() {
    kill "${processes[-1]}" && wait "${processes[-1]}" || true
    unset 'processes[-1]'
}

push_with_aioapns() {
    local count=$((pushes / 60)) start
    local push=("$python/bin/python3" "$root/Benchmarks/peers/aioapns_push.py" "$work" "$port" "$key" "$key_id"
        "$team_id" "$topic")
    if ! start=$(start_up "${push[@]}" 1 1) ||
        ! child aioapns push "$count" --start-up "$start" -- "${push[@]}" "$count" 1000; then
        leave_out "aioapns: it ended with an error: $(tail -n 1 "$work/aioapns.log" "$work/start.log" 2>/dev/null | tail -n 1)"
    fi
}

figure_micro() {
    local bursts=200
    [[ -n $smoke ]] && bursts=5
    "${client_core[@]}" "$bench" micro --subject ours --round "$round" --bursts "$bursts" >>"$lines"
}

# What a queue adds to a push: entries of one token with a payload each, and of 256 with one payload for all. Redis is a
# server, and has the servers' core.
figure_queue() {
    local stores=(memory sqlite) store redis=(--redis "${server_core[*]} redis-server")
    if has redis-server; then stores+=(redis); else leave_out "the queue on Redis: redis-server is not installed"; fi
    for store in "${stores[@]}"; do
        ours queue "$store, entries of 1" --store "$store" "${redis[@]}" --entry 1 --payload personalised --tokens "$pushes" \
            --warm-up $((pushes / 15))
        ours queue "$store, entries of 256" --store "$store" "${redis[@]}" --tokens "$pushes" --warm-up $((pushes / 15))
    done
    for store in "${stores[@]:1}"; do queue_workers "$store"; done
}

# The pushes a second of 1, 2 and 4 worker processes. The simulator answers after 50 ms, so each may make 2,000 over 100
# streams, and 20,000 over 1,000.
queue_workers() {
    local port key key_id team_id topic server_flags headers outer=$work store=$1 count
    local work=$outer/distant
    mkdir -p "$work"
    echo '{ "rules": [ { "name": "distance", "when": "push", "then": { "delay": "50ms" } } ] }' >"$work/script.json"
    start_simulator --script "$work/script.json"
    name_server
    for count in 1 2 4; do
        workers "$count" 1 100
        workers "$count" 256 1000
    done
    end_simulator
}

# workers COUNT ENTRY STREAMS: processes, tokens of an entry, pushes that each has in flight.
workers() {
    local most=$(($1 * $3 * 20))
    "$bench" queue "${server_flags[@]}" --port "$port" --subject "$store, $1 over $3" --round "$round" --store "$store" \
        --entry "$2" --workers "$1" --in-flight "$3" --limit "$most" --tokens "$((most * pushes / 40000))" >>"$lines"
}
