#!/bin/sh
# The image's program: pushctl with the arguments that it gets. Without arguments it is a push inbox for the containers beside it, as a service of
# GitHub Actions is started, which takes none:
#
#   INBOX_TOKEN    what clients of the inbox must show; needed
#   APNS_NAME      the name by which other containers reach it, "apns" when left out
#
# Pushes go to port 2197, broadcast channels to 2196, the inbox is on 8035. What a client needs to connect is in /credentials.
set -eu

if [ $# -gt 0 ]; then exec pushctl "$@"; fi

if [ -z "${INBOX_TOKEN:-}" ]; then
    echo "entrypoint: INBOX_TOKEN is missing: set it to what clients of the inbox must show, or give a command such as 'simulate'." >&2
    exit 64
fi
name=${APNS_NAME:-apns}
umask 077
token=$(mktemp)
printf '%s\n' "$INBOX_TOKEN" >"$token"
# The environment of a process can be read by its owner; the token is in the file now.
unset INBOX_TOKEN
exec pushctl inbox --host 0.0.0.0 --san "$name" --port 2197 --management-port 2196 \
    --inbox 0.0.0.0:8035 --inbox-host "$name" --inbox-token-file "$token" \
    --credentials "${CREDENTIALS:-/credentials}" --write-config "${CREDENTIALS:-/credentials}/push.json"
