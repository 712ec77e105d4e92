#!/bin/bash
# The image's health: of a worker or a bulk with --status-socket that all its links are up; of an inbox that it answers. What has neither is
# well while it runs.
set -eu

socket=${STATUS_SOCKET:-/run/pushctl/status.sock}
if [ -S "$socket" ]; then pushctl top --check "$socket" || exit 1; fi

# Process 1 is pushctl, because the entry point becomes it.
if tr '\0' '\n' </proc/1/cmdline | grep -qx inbox; then
    exec 3<>/dev/tcp/127.0.0.1/8035
    printf 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1:8035\r\nConnection: close\r\n\r\n' >&3
    # Any answer will do: it may ask for the token first.
    read -r -t 4 line <&3
    case $line in HTTP/1.1\ *) ;; *) exit 1 ;; esac
fi
