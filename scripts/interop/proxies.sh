# The proxies that scripts/interop.sh pushes through: how each is installed and started. To be sourced after servers.sh.
#
# Behind them stands pushctl's own simulator, under a name that only the proxies can resolve: this machine is never reached
# through a proxy, by any name of its own. Each `start_NAME` sets `port`, `server` (its process) and `proxy` (its URL).

simulated_host=apns.test

install_proxies() {
    local missing=()
    command -v tinyproxy >/dev/null || missing+=(tinyproxy-bin)
    command -v microsocks >/dev/null || missing+=(microsocks)
    command -v openssl >/dev/null || missing+=(openssl)
    [[ -n $(nss_wrapper) ]] || missing+=(libnss-wrapper)
    if ((${#missing[@]} > 0)); then
        command -v apt-get >/dev/null || fail "install these, then run this again: ${missing[*]}"
        echo "interop: installing ${missing[*]}" >&2
        as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get update -qq >&2
        as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
            apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
    fi
    printf '127.0.0.1 %s\n' "$simulated_host" >"$work/hosts"
}

# The library that gives one program a hosts file of its own; nothing where it is not installed.
nss_wrapper() {
    local found
    for found in /usr/lib/*/libnss_wrapper.so /usr/lib/libnss_wrapper.so; do
        if [[ -e $found ]]; then
            echo "$found"
            return
        fi
    done
}

# Becomes the program, so that its parent can end it.
with_hosts() { exec env LD_PRELOAD="$(nss_wrapper)" NSS_WRAPPER_HOSTS="$work/hosts" "$@"; }

# Sets `simulator` (its process), `simulator_port` and `destination`, the flags that lead there.
start_simulator() {
    choose_port
    simulator_port=$port
    rm -f "$work/simulator.jsonl"
    launch simulator "$pushctl" simulate --port "$port" --credentials "$work/simulator" --log "$work/simulator.jsonl"
    simulator=$server
    local key facts
    facts=$work/simulator.log
    key=$(sed -n 's/.*"key":"\([^"]*\)".*/\1/p' "$facts")
    destination=(
        --host "$simulated_host" --port "$simulator_port"
        --trust-roots "$(sed -n 's/.*"trust-roots":"\([^"]*\)".*/\1/p' "$facts")" --key "$key"
        --team-id "$(sed -n 's/.*"team-id":"\([^"]*\)".*/\1/p' "$facts")"
        --topic "$(sed -n 's/.*"topic":"\([^"]*\)".*/\1/p' "$facts")"
    )
}

# What the simulator saw, in the form of the other servers' logs.
simulated_requests() { sed 's/.*"token":"\([0-9a-f]*\)".*/\/3\/device\/\1/' "$work/simulator.jsonl" >"$work/$1.requests"; }

# start_tinyproxy NAME [LINE]: CONNECT to the simulator's port only.
start_tinyproxy() {
    choose_port
    cat >"$work/$1.conf" <<CONF
Port $port
Listen 127.0.0.1
Timeout 600
MaxClients 20
ConnectPort $simulator_port
LogLevel Info
${2-}
CONF
    proxy=http://127.0.0.1:$port
    launch "$1" with_hosts tinyproxy -d -c "$work/$1.conf"
}

# start_microsocks NAME [FLAG...]
start_microsocks() {
    local name=$1
    shift
    choose_port
    proxy=socks5://127.0.0.1:$port
    launch "$name" with_hosts microsocks -i 127.0.0.1 -p "$port" "$@"
}

# Pushes through a proxy, then shows it a wrong password, if it asks for one, and a host that it cannot reach.
meet_proxy() {
    local name=$1 password='p:w/%40 ä' wrong
    start_simulator
    case $name in
    tinyproxy) start_tinyproxy "$name" ;;
    # Its configuration takes no blank and no quotes in a password.
    tinyproxy-login) start_tinyproxy "$name" 'BasicAuth interop p4ss.word-1' ;;
    microsocks) start_microsocks "$name" ;;
    microsocks-login) start_microsocks "$name" -u interop -P "$password" ;;
    esac
    wrong=${proxy/:\/\//:\/\/interop:wrong@}
    case $name in
    tinyproxy-login) proxy=${proxy/:\/\//:\/\/interop:p4ss.word-1@} ;;
    microsocks-login) proxy=${proxy/:\/\//:\/\/interop:p%3Aw%2F%2540%20%C3%A4@} ;;
    esac
    push_to "$name" "$few" "$work/few.csv"
    grep -q "$simulated_host" "$work/$name.log" || fail "$name: its log knows nothing of $simulated_host"
    if [[ $name == *-login ]]; then refused "$name" "$wrong" 'refused the user name or the password'; fi
    destination[3]=1
    case $name in
    tinyproxy*) refused "$name" "$proxy" 'answered 403 to CONNECT' ;;
    microsocks*) refused "$name" "$proxy" 'did not connect to apns.test:1: connection refused' ;;
    esac
    stop_server
    server=$simulator
    stop_server
    simulated_requests "$name"
    compare "$name" "$few"
}

# refused NAME URL WORDS: a push through it does not leave, and standard error says why.
refused() {
    local status=0
    HTTPS_PROXY=$2 NO_PROXY='' no_proxy='' "$pushctl" send "$device" --payload "$work/payload.json" "${destination[@]}" \
        --timeout 30 --max-outage 10 >"$work/$1-refused.log" 2>&1 </dev/null || status=$?
    ((status == 69)) || fail "$1: exit code $status instead of 69 where it refuses"
    grep -q "$3" "$work/$1-refused.log" || fail "$1: no word of '$3'"
    ! grep -q 'wrong\|p4ss' "$work/$1-refused.log" || fail "$1: the password is shown"
}
