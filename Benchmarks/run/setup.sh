# What Benchmarks/run.sh needs before it can measure: tools, binaries, cores, a server. To be sourced.

# Debian keeps servers in sbin, which is not on everybody's path.
PATH=$PATH:/usr/sbin:/usr/local/sbin

as_root() {
    if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo -n "$@"; fi
}

# The smoke run takes what is there.
install_tools() {
    local missing=()
    [[ $kind != nginx ]] || command -v nginx >/dev/null || missing+=(nginx-light)
    command -v h2load >/dev/null || missing+=(nghttp2-client)
    command -v strace >/dev/null || missing+=(strace)
    command -v valgrind >/dev/null || missing+=(valgrind)
    command -v openssl >/dev/null || missing+=(openssl)
    if ((${#missing[@]} > 0)) && [[ -z $smoke ]] && command -v apt-get >/dev/null; then
        say "installing ${missing[*]}"
        # In run level 1 no service starts: nginx must not take this machine's ports.
        as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get update -qq >&2 || true
        as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
            apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2 || true
    fi
    command -v h2load >/dev/null || leave_out "everything of h2load, and all ratios: nghttp2-client is not installed"
    if [[ $kind == nginx ]] && ! has nginx; then
        leave_out "nginx as the server: it is not installed; our own takes its place"
        kind=fast
    fi
    if [[ $kind != simulator ]] && ! has openssl; then
        leave_out "the fast server and nginx: openssl, which makes their certificate, is not installed; the simulator takes their place"
        kind=simulator
    fi
}

has() { command -v "$1" >/dev/null; }

find_binaries() {
    local folder=${BENCH_BINARIES:-}
    if [[ -z $folder ]]; then
        say "building"
        bash "$root/scripts/setup.sh"
        swift build --package-path "$root" --configuration release --product PushBench >&2
        swift build --package-path "$root" --configuration release --product pushctl >&2
        folder=$(swift build --package-path "$root" --configuration release --show-bin-path)
    fi
    bench=$folder/PushBench
    pushctl=${PUSHCTL:-$folder/pushctl}
    [[ -x $bench && -x $pushctl ]] || fail "no $bench or $pushctl"
}

# A core each, if there are two.
choose_cores() {
    server_core=() client_core=()
    cores=$(nproc)
    if ((cores > 1)) && has taskset; then
        server_core=(taskset -c 0)
        client_core=(taskset -c 1)
    fi
}

# A free port.
choose_port() {
    for _ in $(seq 50); do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
    done
    fail "no free port found"
}

wait_for_port() {
    for _ in $(seq 100); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
        sleep 0.1
    done
    fail "no program listens on port $1"
}

start_server() {
    "start_$kind"
    name_server
}

# What clients are told of the server that was started last.
name_server() {
    server_flags=(--trust-roots "$work/root.pem" --key "$key" --key-id "$key_id" --team-id "$team_id" --topic "$topic")
    headers=(-H "apns-topic: $topic" -H 'apns-push-type: alert')
}

# start_simulator [FLAG...]
start_simulator() {
    # An earlier simulator may have written this file.
    rm -f "$work/simulator.json"
    "${server_core[@]}" "$pushctl" simulate --credentials "$work/ca" "$@" >"$work/simulator.json" 2>"$work/simulator.log" &
    processes+=("$!")
    for _ in $(seq 100); do
        [[ -s $work/simulator.json ]] && break
        sleep 0.1
    done
    [[ -s $work/simulator.json ]] || fail "the simulator did not start: $(tail -n 1 "$work/simulator.log")"
    field() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p" "$work/simulator.json"; }
    port=$(field port) key=$(field key) key_id=$(field key-id) team_id=$(field team-id) topic=$(field topic)
    cp "$(field trust-roots)" "$work/root.pem"
    wait_for_port "$port"
}

# Answers everything with 200 and an apns-id, and looks at nothing else.
start_fast() {
    prepare_server
    serve_fast
}

# serve_fast [FLAG...]: on $port, with the certificates that were made.
serve_fast() {
    "${server_core[@]}" "$bench" serve --port "$port" --certificate "$work/server.pem" --private-key "$work/server.key" "$@" \
        >"$work/server.log" 2>&1 &
    processes+=("$!")
    wait_for_port "$port"
}

# Answers everything with 200, and with the apns-id of the request if it has one. One cipher, so that all clients have the
# same; no GOAWAY within the run.
start_nginx() {
    prepare_server
    cat >"$work/nginx.conf" <<CONF
daemon off;
worker_processes 1;
worker_rlimit_nofile $(ulimit -Hn);
pid $work/nginx.pid;
error_log $work/nginx-error.log warn;
events { worker_connections 15000; }
http {
    access_log off;
    keepalive_requests 1000000000;
    keepalive_time 24h;
    keepalive_timeout 1h;
    client_body_temp_path $work/nginx-body;
    proxy_temp_path $work/nginx-proxy;
    fastcgi_temp_path $work/nginx-fastcgi;
    uwsgi_temp_path $work/nginx-uwsgi;
    scgi_temp_path $work/nginx-scgi;
    server {
        listen 127.0.0.1:$port ssl http2 backlog=4096;
        ssl_certificate $work/server.pem;
        ssl_certificate_key $work/server.key;
        ssl_protocols TLSv1.3;
        ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
        http2_max_concurrent_streams 1000;
        location /3/device/ {
            add_header apns-id \$http_apns_id;
            return 200;
        }
        location / { return 404; }
    }
}
CONF
    "${server_core[@]}" nginx -p "$work" -c "$work/nginx.conf" >"$work/nginx.log" 2>&1 &
    processes+=("$!")
    wait_for_port "$port"
}

prepare_server() {
    choose_port
    key=$work/key.p8 key_id=BENCHMARK1 team_id=BENCHMARK1 topic=com.example.benchmark
    make_certificates
}

make_certificates() {
    local curve=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
    (
        cd "$work"
        openssl req -x509 "${curve[@]}" -days 2 -subj "/CN=PushBench root" \
            -addext "basicConstraints=critical,CA:TRUE" -keyout root.key -out root.pem
        openssl req "${curve[@]}" -subj "/CN=localhost" -keyout server.key -out server.csr
        printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >extensions
        openssl x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -days 2 -extfile extensions \
            -out server.pem
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out key.p8
    ) 2>"$work/openssl.log" || fail "openssl: $(tail -n 1 "$work/openssl.log")"
}

describe_machine() {
    local processor memory
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    memory=$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)
    echo "Machine: $cores cores, ${processor:-unknown processor}, $memory, Linux $(uname -r | cut -d- -f1)."
    echo "Server: $kind. Rounds: $rounds. Commit: $(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)."
    if has h2load; then echo "Client beside ours: $(h2load --version)."; fi
}
