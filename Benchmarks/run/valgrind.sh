# The figures that Valgrind counts, which other programs on the machine do not disturb. To be sourced.

# The command line of PushBench for a number of pushes at full load.
push_command() {
    local count=$1
    shift
    command=("$bench" push "${server_flags[@]}" --port "$port" --subject unused --warm-up 0 --pushes "$count" "$@")
}

# The same for one push at a time.
single_command() {
    local count=$1
    shift
    command=("$bench" single "${server_flags[@]}" --port "$port" --subject unused --warm-up 0 --pushes "$count" "$@")
}

# under_valgrind FILE COMMAND...: what Valgrind says, and the profile in the file. It reads the names of functions, and not what a debugger wants
# to know of code in C (DWARF 5).
under_valgrind() {
    local profile=$1 program=$work/stripped-${2##*/}
    [[ -x $program ]] || strip --strip-debug -o "$program" "$(command -v "$2")"
    shift 2
    LD_PRELOAD=$work/sigsuspend.so \
        valgrind --tool=callgrind --callgrind-out-file="$profile" --compress-strings=no "$program" "$@" 2>&1
}

# Whether Valgrind can be used; $1 says for what.
can_count() {
    if ! has valgrind || ! { has clang || has cc; }; then
        leave_out "$1: valgrind is not installed, or no C compiler"
        return 1
    fi
    local compiler=clang
    has clang || compiler=cc
    [[ -e $work/sigsuspend.so ]] ||
        "$compiler" -shared -fPIC -o "$work/sigsuspend.so" "$root/Benchmarks/run/sigsuspend.c"
}

# counted COMMAND...: the command's instructions in user space.
counted() {
    under_valgrind /dev/null "$@" | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# woken COMMAND...: how often the command's processes were woken: their drains.
woken() {
    under_valgrind "$work/profile" "$@" >"$work/valgrind.log"
    swift demangle --simplified <"$work/profile" | awk '
        /^cfn=/ { isDrain = /^cfn=(specialized )?ProcessCell\.drain\(\)$/ }
        isDrain && sub(/^calls=/, "") { drains += $1 }
        END { print drains + 0 }'
}

# per_push COUNTER PREPARE [ARGUMENT...]: what the counter finds, per push; `PREPARE COUNT ARGUMENT...` makes the command.
# From two counts of pushes, so that what a start costs falls out. With fewer pushes than these, threads that take turns in
# another order change the figure by some percent. $least, if set, is the smaller count at least.
per_push() {
    local counter=$1 prepare=$2 step=$((pushes / 60)) least=${least:-3000} few many
    shift 2
    [[ -z $smoke ]] || least=100
    ((step >= least)) || step=$least
    "$prepare" "$step" "$@"
    # Most of a smoke run is what Valgrind needs to start.
    if [[ -n $smoke ]]; then few=0; else few=$("$counter" "${command[@]}"); fi
    "$prepare" $((5 * step)) "$@"
    many=$("$counter" "${command[@]}")
    [[ $few =~ ^[0-9]+$ && $many =~ ^[0-9]+$ ]] && ((many > few)) ||
        fail "Valgrind counted nothing in: ${command[*]}"
    awk -v few="$few" -v many="$many" -v count=$((4 * step)) 'BEGIN { printf "%.3f", (many - few) / count }'
}

# value FIGURE SUBJECT NAME NUMBER: a line of one value.
value() {
    printf '{"figure":"%s","subject":"%s","round":%d,"values":{"%s":%s}}\n' "$1" "$2" "$round" "$3" "$4" >>"$lines"
}

# instructions SUBJECT PREPARE [ARGUMENT...]: per push.
instructions() {
    local subject=$1 number
    shift
    number=$(per_push counted "$@")
    value instructions "$subject" instructions "$number"
}

# Instructions per push, by Valgrind: the one figure that other programs on the machine do not disturb.
figure_instructions() {
    ((round == 1)) || return 0
    can_count "instructions per push" || return 0
    if has h2load; then instructions h2load h2load_command 1000; fi
    instructions completion push_command --form completion
    instructions async push_command --form async
    instructions personalised push_command --form async --payload personalised
    instructions 'pushctl bulk' bulk_command
    # Which connections of a pool resume the TLS session of another is up to chance. A handshake that does not takes 3.7
    # million instructions more, which would be 300 for each push.
    local least=15000
    instructions pool push_command --form completion --pool 4
    instructions 'pushctl bulk, pool of 4' bulk_command --connections 4
}

# A pool of four: how pushes spread over its connections when there are twice as many as they may have in flight, and how
# many processes a push wakes that is alone.
figure_pool() {
    local form number
    for form in completion async; do
        ours push "$form" --figure pool --form "$form" --pool 4 --in-flight 8000 --pushes "$pushes" \
            --warm-up $((pushes / 15))
    done
    ((round == 1)) || return 0
    can_count "processes woken by a push" || return 0
    if ! has swift; then
        leave_out "processes woken by a push: swift, which tells their names in a profile, is not installed"
        return 0
    fi
    number=$(per_push woken single_command --form completion --pool 4)
    value pool completion wakes "$number"
}
