#!/bin/sh
# A broken history, checked, repaired and compared: `make demo`. Each command is shown before it runs.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$(dirname "$0")/broken.json" "$folder"
cd "$folder"

say() {
    echo
    printf '# %s\n' "$@"
}

# run CODE COMMAND…: the exit code is part of what is shown, so another one ends the demo.
run() {
    wanted=$1
    shift
    printf '$ %s\n' "$*"
    got=0
    "$@" || got=$?
    [ "$got" -eq "$wanted" ] || { printf 'demo: exit code %s, wanted %s\n' "$got" "$wanted" >&2; exit 1; }
}

say 'An agent was to book a train when the laptop went to sleep. The call was never answered, and the head of the' \
    'history had been trimmed before. Would the API take it?'
run 1 rejoinder check broken.json --target openai-chat

say 'Mended by default: what cannot be sent goes, what the user said stays, and every step is told.'
run 0 rejoinder repair broken.json --target openai-chat -o dropped.json

say 'Now it is taken.'
run 0 rejoinder check dropped.json --target openai-chat

say 'Or keep the call and tell the truth about it: nobody knows whether the train was booked.'
run 0 rejoinder repair broken.json --target openai-chat --policy unanswered=answer -o answered.json

say 'The difference:'
run 1 diff -u broken.json answered.json
