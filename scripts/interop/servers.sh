# The servers that scripts/interop.sh meets: how each is installed, started and stopped. To be sourced.
#
# Each `start_NAME` sets `port` and `server` (its process) and returns when it listens; all listen on 127.0.0.1, and all
# but nghttpd write the path of each request they answer to $work/NAME.requests.

# Debian keeps servers in sbin, which is not on everybody's path.
PATH=$PATH:/usr/sbin:/usr/local/sbin

as_root() {
    if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

install_servers() {
    local missing=()
    command -v nginx >/dev/null || missing+=(nginx-light)
    command -v nghttpd >/dev/null || missing+=(nghttp2-server)
    command -v h2o >/dev/null || missing+=(h2o)
    command -v node >/dev/null || missing+=(nodejs)
    command -v go >/dev/null || missing+=(golang-go)
    command -v openssl >/dev/null || missing+=(openssl)
    python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
    if ((${#missing[@]} > 0)); then
        command -v apt-get >/dev/null || fail "install these, then run this again: ${missing[*]}"
        echo "interop: installing ${missing[*]}" >&2
        # In run level 1 no service starts: the packages' own servers must not take this machine's ports.
        as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get update -qq >&2
        as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
            apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
    fi
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-warn-script-location \
        --target "$work/python" 'hypercorn==0.18.0' >"$work/pip.log" 2>&1 || fail "hypercorn could not be installed"
    echo "interop: building the server on Go's net/http" >&2
    GOCACHE=$work/go-cache go build -o "$work/go-server" "$root/scripts/interop/go-server.go"
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

# A free port, below those that the system gives to other programs. Before the server starts, another program could take it; then
# the server says so and the run fails.
choose_port() {
    for _ in $(seq 50); do
        port=$((20000 + RANDOM % 12000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
    done
    fail "no free port found"
}

# Runs a server in the background and waits until it listens.
launch() {
    local name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 &
    server=$!
    servers+=("$server")
    for _ in $(seq 1200); do
        kill -0 "$server" 2>/dev/null || fail "$name did not start"
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
        sleep 0.1
    done
    fail "$name does not listen on port $port"
}

# Stops the server that was started last; what it still had to write is in its files then.
stop_server() {
    kill "-${1:-TERM}" "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    unset 'servers[-1]'
}

start_nginx() {
    choose_port
    cat >"$work/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid $work/nginx.pid;
error_log $work/nginx-error.log warn;
events { worker_connections 64; }
http {
    log_format path '\$uri';
    access_log $work/nginx.requests path buffer=64k;
    client_body_temp_path $work/nginx-body;
    proxy_temp_path $work/nginx-proxy;
    fastcgi_temp_path $work/nginx-fastcgi;
    uwsgi_temp_path $work/nginx-uwsgi;
    scgi_temp_path $work/nginx-scgi;
    # By default a connection ends after 1000 requests (keepalive_requests): left so where $1 is empty, that GOAWAY is
    # met a hundred times.
    $1
    server {
        listen 127.0.0.1:$port ssl http2;
        ssl_certificate $work/server.pem;
        ssl_certificate_key $work/server.key;
        http2_max_concurrent_streams 1000;
        location /3/device/ { return 200; }
        location / { return 404; }
    }
}
CONF
    launch nginx nginx -p "$work" -c "$work/nginx.conf"
}

start_nghttpd() {
    choose_port
    mkdir -p "$work/htdocs/3/device"
    # It serves files, and one device token is one file: all pushes go to it.
    : >"$work/htdocs/3/device/$device"
    launch nghttpd nghttpd --address=127.0.0.1 --htdocs="$work/htdocs" --max-concurrent-streams=1000 \
        "$port" "$work/server.key" "$work/server.pem"
}

start_h2o() {
    choose_port
    cat >"$work/h2o.conf" <<CONF
num-threads: 1
user: $(id -un)
http2-max-concurrent-requests-per-connection: 1000
http2-graceful-shutdown-timeout: 0
access-log:
  path: $work/h2o.requests
  format: "%U"
hosts:
  "localhost:$port":
    listen:
      host: 127.0.0.1
      port: $port
      ssl:
        certificate-file: $work/server.pem
        key-file: $work/server.key
    paths:
      "/":
        mruby.handler: |
          Proc.new { |env| [200, {}, []] }
CONF
    launch h2o h2o -c "$work/h2o.conf"
}

start_node() {
    choose_port
    launch node node "$root/scripts/interop/node-server.mjs" \
        "$port" "$work/server.key" "$work/server.pem" "$work/node.requests"
}

# Each body is read, and its bytes given back, 50 ms after its HEADERS. Node's window of a connection is 65,535 bytes.
start_node_late() {
    choose_port
    launch node-late node "$root/scripts/interop/node-server.mjs" \
        "$port" "$work/server.key" "$work/server.pem" "$work/node-late.requests" 50
}

start_go() {
    choose_port
    launch go "$work/go-server" "$port" "$work/server.key" "$work/server.pem" "$work/go.requests"
}

# With 1,000 streams at a time hypercorn 0.18 stops answering, h2load's as well as ours. After keep_alive_max_requests it
# says GOAWAY and then answers nothing that was in flight: those pushes would end as timed out, so it is left out here.
start_hypercorn() {
    choose_port
    cat >"$work/hypercorn.toml" <<CONF
bind = "127.0.0.1:$port"
certfile = "$work/server.pem"
keyfile = "$work/server.key"
h2_max_concurrent_streams = 100
keep_alive_max_requests = 1000000
CONF
    launch hypercorn env PYTHONPATH="$work/python:$root/scripts/interop" REQUESTS="$work/hypercorn.requests" \
        python3 -m hypercorn --config "$work/hypercorn.toml" hypercorn-app:app
}

# The library behind hypercorn, which brings it: windows as HTTP/2 has them, given back 50 ms after they were used.
start_hyper_h2() {
    choose_port
    launch hyper-h2 env PYTHONPATH="$work/python" python3 "$root/scripts/interop/h2-server.py" \
        "$port" "$work/server.key" "$work/server.pem" "$work/hyper-h2.requests" 0.05
}
