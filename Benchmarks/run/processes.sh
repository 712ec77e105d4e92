# Sourced by scripts that start processes: a folder in $work, and an end of all that is in `started` when the script ends.
work=$(mktemp -d)
started=()
clean_up() {
    for process in ${started[@]+"${started[@]}"}; do kill "$process" 2>/dev/null || true; done
    for process in ${started[@]+"${started[@]}"}; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap clean_up EXIT
