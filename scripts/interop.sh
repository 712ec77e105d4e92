#!/usr/bin/env bash
# pushctl against HTTP/2 servers that share no code with it: nginx and nghttpd, over TLS on loopback.
#
#   scripts/interop.sh [N]     N pushes to each server; 100000 when left out
#
# Checks for each: exit code 0, as many outcome rows as input rows, each line once, all delivered, memory flat.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

pushes=${1:-100000}
[[ $pushes =~ ^[1-9][0-9]*$ ]] || {
    echo "usage: scripts/interop.sh [N]" >&2
    exit 64
}
# Resident memory must not grow with the number of pushes. The bound leaves room for the waiting queue (16 MiB), the
# trust store and Swift's runtime.
most_kib=${INTEROP_MAX_RSS_KIB:-131072}

work=$(mktemp -d "${TMPDIR:-/tmp}/pushctl-interop.XXXXXX")
servers=()

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

# --- Servers ---------------------------------------------------------------------------------------------------------

as_root() {
    if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Debian keeps servers in sbin, which is not on everybody's path.
PATH=$PATH:/usr/sbin:/usr/local/sbin

install_servers() {
    local missing=()
    command -v nginx >/dev/null || missing+=(nginx-light)
    command -v nghttpd >/dev/null || missing+=(nghttp2-server)
    command -v nghttp >/dev/null || missing+=(nghttp2-client)
    command -v openssl >/dev/null || missing+=(openssl)
    ((${#missing[@]} == 0)) && return
    command -v apt-get >/dev/null || fail "install nginx, nghttpd, nghttp and openssl, then run this again"
    echo "interop: installing ${missing[*]}" >&2
    # In run level 1 no service starts: the package's own nginx must not take port 80 of this machine.
    as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get update -qq >&2
    as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
}

# A port that nobody listens on now. Between this and the server's start somebody else could take it; then the server
# says so and the run fails.
free_port() {
    local port
    for _ in $(seq 50); do
        port=$((20000 + RANDOM % 20000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$port"
            return
        fi
    done
    fail "no free port found"
}

wait_for_port() {
    local port=$1 server=$2 name=$3
    for _ in $(seq 100); do
        kill -0 "$server" 2>/dev/null || fail "$name did not start"
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
        sleep 0.1
    done
    fail "$name does not listen on port $port"
}

make_certificates() {
    cd "$work"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=pushctl interop root" \
        -addext "basicConstraints=critical,CA:TRUE" -keyout root.key -out root.pem 2>openssl.log
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=localhost" \
        -keyout server.key -out server.csr 2>>openssl.log
    printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >extensions
    openssl x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -days 2 -extfile extensions \
        -out server.pem 2>>openssl.log
    # The servers check no provider token: any key on the right curve will do.
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out AuthKey_INTEROP001.p8 2>>openssl.log
    cd "$root"
}

start_nginx() {
    nginx_port=$(free_port)
    cat >"$work/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/nginx-error.log warn;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path $work/nginx-body;
    proxy_temp_path $work/nginx-proxy;
    fastcgi_temp_path $work/nginx-fastcgi;
    uwsgi_temp_path $work/nginx-uwsgi;
    scgi_temp_path $work/nginx-scgi;
    # By default a connection ends after 1000 requests: left so, that GOAWAY is met a hundred times.
    server {
        listen 127.0.0.1:$nginx_port ssl http2;
        ssl_certificate $work/server.pem;
        ssl_certificate_key $work/server.key;
        http2_max_concurrent_streams 1000;
        location /3/device/ { return 200; }
        location / { return 404; }
    }
}
CONF
    nginx -p "$work" -c "$work/nginx.conf" >"$work/nginx.log" 2>&1 &
    servers+=($!)
    wait_for_port "$nginx_port" $! nginx
}

start_nghttpd() {
    nghttpd_port=$(free_port)
    mkdir -p "$work/htdocs/3/device"
    # It serves files, and one device token is one file: all pushes go to it.
    : >"$work/htdocs/3/device/$device"
    nghttpd --address=127.0.0.1 --htdocs="$work/htdocs" --max-concurrent-streams=1000 \
        "$nghttpd_port" "$work/server.key" "$work/server.pem" >"$work/nghttpd.log" 2>&1 &
    servers+=($!)
    wait_for_port "$nghttpd_port" $! nghttpd
}

# --- Runs ------------------------------------------------------------------------------------------------------------

# The peak of a process's resident memory, in KiB, while it lives.
peak_kib() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$1/status" 2>/dev/null || true; }

run() {
    local name=$1 port=$2 input=$3
    local outcomes=$work/$name.csv log=$work/$name-pushctl.log status=0 peak=0 sample began ended
    began=$(date +%s)
    "$pushctl" bulk "$input" --outcomes "$outcomes" --payload "$work/payload.json" \
        --host localhost --port "$port" --trust-roots "$work/root.pem" \
        --key "$work/AuthKey_INTEROP001.p8" --team-id INTEROP001 --topic com.example.interop \
        --progress plain >"$log" 2>&1 </dev/null &
    local client=$!
    servers+=("$client")
    while sample=$(peak_kib "$client") && [[ -n $sample ]]; do
        peak=$sample
        sleep 0.05
    done
    wait "$client" || status=$?
    ended=$(date +%s)
    # It has ended: its number may belong to somebody else soon.
    unset 'servers[-1]'

    ((status == 0)) || fail "$name: exit code $status instead of 0"
    local rows delivered distinct
    rows=$(($(wc -l <"$outcomes") - 1))
    delivered=$(awk -F, 'NR > 1 && $3 == "delivered" && $4 == 200 && $9 == "answered"' "$outcomes" | wc -l)
    distinct=$(tail -n +2 "$outcomes" | cut -d, -f1 | sort -n | uniq | wc -l)
    ((rows == pushes)) || fail "$name: $rows outcome rows for $pushes records"
    ((distinct == pushes)) || fail "$name: outcomes of $distinct different lines for $pushes records"
    ((delivered == pushes)) || fail "$name: $delivered delivered of $pushes"
    # A server that says GOAWAY is left before the link breaks: the successor is dialled at once, never after a pause.
    ! grep -q 'no link to' "$log" || fail "$name: the link broke"
    ((peak <= most_kib)) || fail "$name: $peak KiB resident at most, more than $most_kib KiB"
    printf '%-8s %s rows, all delivered, exit 0, %s KiB resident at most, about %s s\n' \
        "$name" "$rows" "$peak" "$((ended - began))"
}

bash "$root/scripts/setup.sh"
install_servers
echo "interop: building pushctl" >&2
swift build --package-path "$root" --configuration release --product pushctl >&2
pushctl=$(swift build --package-path "$root" --configuration release --show-bin-path)/pushctl

device=$(printf '%064d' 7)
make_certificates
printf '{"aps":{"alert":{"title":"Interop","body":"Over a server nobody here wrote"}}}' >"$work/payload.json"
awk -v n="$pushes" 'BEGIN { print "token"; for (i = 1; i <= n; i++) printf "%064x\n", i }' >"$work/many.csv"
awk -v n="$pushes" -v device="$device" 'BEGIN { print "token"; for (i = 1; i <= n; i++) print device }' >"$work/one.csv"

start_nginx
start_nghttpd
run nginx "$nginx_port" "$work/many.csv"
run nghttpd "$nghttpd_port" "$work/one.csv"
echo "interop: $pushes pushes to each of nginx and nghttpd: passed"
