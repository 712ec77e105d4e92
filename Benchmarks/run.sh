#!/usr/bin/env bash
# Speed beside h2load, the C load generator of the nghttp2 project: the same server, headers and payload, in turn.
#
#   Benchmarks/run.sh [--rounds N] [--pushes N] [--server fast|nginx|simulator] [--lines FILE] [--charts FOLDER] [FIGURE...]
#   Benchmarks/run.sh --smoke     everything once and small, in a minute: whether it runs, not how fast
#
# FIGURE: push wire calls instructions pool single paced refused delayed window first hole idle busy million peers micro queue; all when none is named.
# The server is `PushBench serve`, which answers so fast that the client is the limit; nginx is a server that many know, and is the limit
# itself at full load; the simulator checks each push as APNs does.
# Prints tables ready for Benchmarks/README.md on standard output: medians of all rounds, the least and the most in brackets,
# ratios paired by round. Client and server have a core each where there are two. Installs nginx-light, nghttp2-client,
# strace and valgrind where apt can; rows for which something is missing are left out, and said so.
# --charts draws the figures push, peers and paced as SVG.
# BENCH_BINARIES=folder uses the PushBench and pushctl there in place of a new release build; PUSHCTL names another pushctl.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
all=(push wire calls instructions pool single paced refused delayed window first hole idle busy million peers micro queue)

rounds=5 pushes=300000 smoke='' kind=fast lines='' charts=() figures=()
usage() {
    sed -n '4,5p' "${BASH_SOURCE[0]}" >&2
    exit 64
}
while (($# > 0)); do
    case $1 in
    --rounds | --pushes | --server | --lines | --charts)
        (($# > 1)) || usage
        case $1 in
        --rounds) rounds=$2 ;;
        --pushes) pushes=$2 ;;
        --server) kind=$2 ;;
        --lines) lines=$2 ;;
        --charts) charts=(--charts "$2") ;;
        esac
        shift
        ;;
    --smoke) smoke=1 ;;
    -*) usage ;;
    *)
        [[ " ${all[*]} " == *" $1 "* ]] || usage
        figures+=("$1")
        ;;
    esac
    shift
done
[[ $rounds =~ ^[1-9][0-9]*$ && $pushes =~ ^[1-9][0-9]*$ && $kind =~ ^(fast|nginx|simulator)$ ]] || usage
((${#figures[@]} > 0)) || figures=("${all[@]}")
if [[ -n $smoke ]]; then
    rounds=1
    pushes=2000
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/pushbench.XXXXXX")
processes=()
left_out=()

clean_up() {
    local status=$?
    trap - EXIT INT TERM
    local process
    for process in ${processes[@]+"${processes[@]}"}; do kill "$process" 2>/dev/null || true; done
    for process in ${processes[@]+"${processes[@]}"}; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf 'bench: %s\n' "$*" >&2; }
fail() {
    say "$*"
    exit 1
}
leave_out() {
    say "left out: $*"
    left_out+=("$*")
}

# shellcheck source=Benchmarks/run/setup.sh
source "$root/Benchmarks/run/setup.sh"
# shellcheck source=Benchmarks/run/figures.sh
source "$root/Benchmarks/run/figures.sh"
# shellcheck source=Benchmarks/run/valgrind.sh
source "$root/Benchmarks/run/valgrind.sh"

install_tools
find_binaries
choose_cores
# Ten thousand connections are as many descriptors on either side.
ulimit -n "$(ulimit -Hn)"
lines=${lines:-$work/lines.jsonl}
: >"$lines"
start_server
"$bench" work "${server_flags[@]}" --port "$port" --directory "$work" --rows "$pushes"
for ((round = 1; round <= rounds; round++)); do
    for figure in "${figures[@]}"; do
        say "round $round of $rounds: $figure"
        "figure_$figure"
    done
done

if [[ -n $smoke ]]; then
    # Charts need the figures push and paced.
    ((${#figures[@]} < ${#all[@]})) || charts=(--charts "$work/charts")
    "$bench" report "$lines" ${charts[@]+"${charts[@]}"} >/dev/null
    say "smoke: $(wc -l <"$lines") lines of ${#figures[@]} figures; how fast it was says nothing"
else
    describe_machine
    echo
    "$bench" report "$lines" ${charts[@]+"${charts[@]}"}
fi
if ((${#left_out[@]} > 0)); then
    echo
    printf 'Left out: %s\n' "${left_out[@]}" | sort -u
fi
