#!/usr/bin/env bash
# pushctl against HTTP/2 servers that have no code of ours, over TLS on loopback: nginx (which says GOAWAY after each
# 1,000 requests, and again while it is reloaded under load), nghttpd, h2o, Node's http2 (also reading each body 50 ms
# late), Go's net/http, hypercorn, and hyper-h2 (which gives windows back 50 ms late, and sees whether a body is
# overtaken). And through proxies to the simulator: tinyproxy (CONNECT) and microsocks (SOCKS5), each with and without a login.
#
#   scripts/interop.sh [N [NAME...]]   N pushes to each server, 100000 when left out; all servers, or those named
#
# Checks for each: exit code 0, as many outcome rows as input rows, each line once, all delivered, no link broke, memory
# flat; and in the server's own log each device token once. Servers in Python and JavaScript, and proxies, get a tenth of N.
# PUSHCTL=path uses that binary in place of a new build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
proxies=(tinyproxy tinyproxy-login microsocks microsocks-login)
all=(nginx nginx-reload nghttpd h2o node node-late go hypercorn hyper-h2 "${proxies[@]}")

pushes=${1:-100000}
chosen=("${@:2}")
[[ $pushes =~ ^[1-9][0-9]*$ ]] || {
    echo "usage: scripts/interop.sh [N [NAME...]], names: ${all[*]}" >&2
    exit 64
}
((${#chosen[@]} > 0)) || chosen=("${all[@]}")
for name in "${chosen[@]}"; do
    [[ " ${all[*]} " == *" $name "* ]] || {
        echo "interop: no server is called $name; names: ${all[*]}" >&2
        exit 64
    }
done
# Resident memory must not grow with the number of pushes. The bound leaves room for the waiting queue (16 MiB), the
# trust store and Swift's runtime.
most_kib=${INTEROP_MAX_RSS_KIB:-131072}

work=$(mktemp -d "${TMPDIR:-/tmp}/pushctl-interop.XXXXXX")
servers=()
# Flags for a limited rate.
rate=()

clean_up() {
    local status=$?
    trap - EXIT INT TERM
    if ((status != 0)); then
        for log in "$work"/*.log; do
            [[ -s $log ]] || continue
            printf -- '-- %s\n' "$(basename "$log")" >&2
            tail -n 20 "$log" >&2
        done
    fi
    local server
    for server in ${servers[@]+"${servers[@]}"}; do kill "$server" 2>/dev/null || true; done
    for server in ${servers[@]+"${servers[@]}"}; do wait "$server" 2>/dev/null || true; done
    chmod -R u+w "$work" # Go writes its caches without leave to delete them.
    rm -rf "$work"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    echo "interop: $*" >&2
    exit 1
}

# shellcheck source=scripts/interop/servers.sh
source "$root/scripts/interop/servers.sh"
# shellcheck source=scripts/interop/proxies.sh
source "$root/scripts/interop/proxies.sh"

# The peak of a process's resident memory, in KiB, while it lives.
peak_kib() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$1/status" 2>/dev/null || true; }

# push_to NAME COUNT INPUT [COMMAND...]: pushes a file's rows; runs the command again and again meanwhile.
push_to() {
    local name=$1 count=$2 input=$3
    shift 3
    local outcomes=$work/$name.csv log=$work/$name-pushctl.log status=0 peak=0 sample began ended
    # A flag would show the password of a proxy.
    local -a proxied=(env HTTPS_PROXY="$proxy" NO_PROXY= no_proxy=)
    [[ $proxy != none ]] || proxied=(env -u HTTPS_PROXY -u https_proxy -u ALL_PROXY -u all_proxy)
    began=$(date +%s)
    "${proxied[@]}" "$pushctl" bulk "$input" --outcomes "$outcomes" --payload "$work/payload.json" \
        "${destination[@]}" --progress plain >"$log" 2>&1 </dev/null &
    local client=$!
    servers+=("$client")
    while sample=$(peak_kib "$client") && [[ -n $sample ]]; do
        peak=$sample
        sleep 0.1
        "$@"
    done
    wait "$client" || status=$?
    ended=$(date +%s)
    # It has ended: another process may get its number soon.
    unset 'servers[-1]'

    ((status == 0)) || fail "$name: exit code $status instead of 0"
    local rows delivered distinct
    rows=$(($(wc -l <"$outcomes") - 1))
    delivered=$(awk -F, 'NR > 1 && $3 == "delivered" && $4 == 200 && $9 == "answered"' "$outcomes" | wc -l)
    distinct=$(tail -n +2 "$outcomes" | cut -d, -f1 | sort -n | uniq | wc -l)
    ((rows == count)) || fail "$name: $rows outcome rows for $count records"
    ((distinct == count)) || fail "$name: outcomes of $distinct different lines for $count records"
    ((delivered == count)) || fail "$name: $delivered delivered of $count"
    # A server that says GOAWAY is left before the link breaks: the successor is dialled at once. Only after a link that was
    # told to go before it had answered anything there is a pause, as a reload just then brings.
    ! grep 'no link to' "$log" | grep -qv 'The link had not been useful yet' || fail "$name: the link broke"
    ((peak <= most_kib)) || fail "$name: $peak KiB resident at most, more than $most_kib KiB"
    printf '%-13s %s rows, all delivered, exit 0, %s KiB resident at most, about %s s' \
        "$name" "$rows" "$peak" "$((ended - began))"
}

# compare NAME COUNT: the server's own log has each device token once. The server has stopped.
compare() {
    local name=$1 count=$2 answered distinct
    answered=$(grep -c '^/3/device/' "$work/$name.requests") || true
    distinct=$(sort -u "$work/$name.requests" | grep -c '^/3/device/') || true
    ((answered == count && distinct == count)) ||
        fail "$name: the server answered $answered requests for $distinct device tokens, $count were pushed"
    printf '; in its log each once\n'
}

# meet_server NAME COUNT INPUT [COMMAND...]: as push_to, to the server that listens on `port`.
meet_server() {
    destination=(
        --host localhost --port "$port" --trust-roots "$work/root.pem"
        --key "$work/AuthKey_INTEROP001.p8" --team-id INTEROP001 --topic com.example.interop "${rate[@]}"
    )
    proxy=none
    push_to "$@"
}

meet_hyper_h2() {
    start_hyper_h2
    meet_server hyper-h2 "$few" "$work/few.csv"
    stop_server
    compare hyper-h2 "$few"
    grep -q '^overtaken 0;' "$work/hyper-h2.log" || fail "hyper-h2: $(tail -n 1 "$work/hyper-h2.log")"
    printf '%-13s %s\n' "${rate[*]}" "$(tail -n 1 "$work/hyper-h2.log")"
    rm -f "$work/hyper-h2.csv"
}

reload_nginx() {
    reloads=$((reloads + 1))
    nginx -p "$work" -c "$work/nginx.conf" -s reload 2>>"$work/nginx.log"
}

meet() {
    case $1 in
    nginx)
        start_nginx ''
        meet_server nginx "$pushes" "$work/many.csv"
        stop_server QUIT
        compare nginx "$pushes"
        ;;
    nginx-reload)
        rm -f "$work/nginx.requests"
        start_nginx 'keepalive_requests 1000000;'
        reloads=0
        meet_server nginx-reload "$pushes" "$work/many.csv" reload_nginx
        stop_server QUIT
        compare nginx "$pushes"
        printf '%-13s was reloaded %s times meanwhile\n' '' "$reloads"
        ;;
    nghttpd)
        start_nghttpd
        meet_server nghttpd "$pushes" "$work/one.csv"
        echo
        stop_server
        ;;
    h2o | go)
        "start_$1"
        meet_server "$1" "$pushes" "$work/many.csv"
        stop_server
        compare "$1" "$pushes"
        ;;
    node-late)
        start_node_late
        meet_server node-late "$few" "$work/few.csv"
        stop_server
        compare node-late "$few"
        printf '%-13s %s\n' '' "$(tail -n 1 "$work/node-late.log")"
        ;;
    node | hypercorn)
        "start_$1"
        meet_server "$1" "$few" "$work/few.csv"
        stop_server
        compare "$1" "$few"
        ;;
    hyper-h2)
        meet_hyper_h2
        # At full load a server in Python is at the limit of its core. At this rate it is not, and its windows alone are the limit.
        rate=(--rate 1500)
        meet_hyper_h2
        rate=()
        ;;
    *) meet_proxy "$1" ;;
    esac
}

bash "$root/scripts/setup.sh"
# What is not met is not installed.
[[ " ${chosen[*]} " =~ \ (nginx|nginx-reload|nghttpd|h2o|node|node-late|go|hypercorn|hyper-h2)\  ]] && install_servers
[[ " ${chosen[*]} " =~ \ (tinyproxy|microsocks) ]] && install_proxies
pushctl=${PUSHCTL:-}
if [[ -z $pushctl ]]; then
    echo "interop: building pushctl" >&2
    swift build --package-path "$root" --configuration release --product pushctl >&2
    pushctl=$(swift build --package-path "$root" --configuration release --show-bin-path)/pushctl
fi

device=$(printf '%064d' 7)
few=$(((pushes + 9) / 10))
make_certificates
printf '{"aps":{"alert":{"title":"Interop","body":"Over a server of another project"}}}' >"$work/payload.json"
awk -v n="$pushes" 'BEGIN { print "token"; for (i = 1; i <= n; i++) printf "%064x\n", i }' >"$work/many.csv"
head -n $((few + 1)) "$work/many.csv" >"$work/few.csv"
awk -v n="$pushes" -v device="$device" 'BEGIN { print "token"; for (i = 1; i <= n; i++) print device }' >"$work/one.csv"

for name in "${chosen[@]}"; do meet "$name"; done
echo "interop: $pushes pushes to ${chosen[*]}: passed"
