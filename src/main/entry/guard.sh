#!/bin/sh
# Stands between the host and node: guard.sh DATA EVENT (a hook) or guard.sh DATA monitor ROOT.
# A PostToolUse without mail ends here. stdin is always drained: a host that writes into a closed pipe reports an error.
# The payload is never parsed here; paths may hold any character.
data=$1 event=$2
here=${0%/*}

# An unset variable arrives empty, or as the placeholder's own text.
case $data in
'' | '${'*) data=${CLAUDE_PLUGIN_DATA-} ;;
esac

if [ "$event" = PostToolUse ] && [ -n "$data" ] && [ -n "${CLAUDE_CODE_SESSION_ID-}" ]; then
  set -- "$data/sessions/$CLAUDE_CODE_SESSION_ID/mailbox/new"/*
  if ! [ -e "$1" ]; then
    cat >/dev/null
    exit 0
  fi
fi

# Node on PATH, else where version managers and installers put it; of several versions the last in name order from 20 up.
node=$(command -v node 2>/dev/null)
if ! [ -x "$node" ]; then
  node=
  for found in \
    /usr/bin/node /usr/local/bin/node /opt/homebrew/bin/node /opt/local/bin/node /snap/bin/node \
    /run/current-system/sw/bin/node "$HOME/.nix-profile/bin/node" \
    "${ASDF_DATA_DIR:-$HOME/.asdf}"/installs/nodejs/[2-9][0-9].*/bin/node \
    "${MISE_DATA_DIR:-$HOME/.local/share/mise}"/installs/node/[2-9][0-9].*/bin/node \
    "${FNM_DIR:-$HOME/.local/share/fnm}"/node-versions/v[2-9][0-9].*/installation/bin/node \
    "$HOME/.fnm"/node-versions/v[2-9][0-9].*/installation/bin/node \
    "$HOME/Library/Application Support/fnm"/node-versions/v[2-9][0-9].*/installation/bin/node \
    "${VOLTA_HOME:-$HOME/.volta}"/tools/image/node/[2-9][0-9].*/bin/node \
    "${NVM_DIR:-$HOME/.nvm}"/versions/node/v[2-9][0-9].*/bin/node; do
    [ -x "$found" ] && node=$found
  done
fi

# Node 20 reads the bundle at every start (tens of ms); a preload set by a project has no business here.
unset NODE_EXTRA_CA_CERTS NODE_OPTIONS

if [ "$event" = monitor ]; then
  if [ -n "$node" ]; then
    exec "$node" "$here/monitor.cjs" --data "$data" --root "$3" --project "$PWD"
  fi
  # An exit would wake the model: stay, silent, as long as the host lives.
  while kill -0 "${CLAUDE_PID:-$PPID}" 2>/dev/null; do sleep 20; done
  exit 0
fi

if [ -n "$node" ]; then
  # Not exec: whatever becomes of node, the host sees success and no noise.
  "$node" "$here/hook.cjs" "$data" "$event" 2>/dev/null
  exit 0
fi

cat >/dev/null
if [ "$event" = SessionStart ] && [ "${CLAUDE_CODE_ENTRYPOINT-}" = cli ] && [ -z "${SECOND_BRAIN_FORK-}" ] && [ -n "$data" ]; then
  host="$data/hosts/${CLAUDE_PID:-s-${CLAUDE_CODE_SESSION_ID-}}"
  mkdir -p -m 700 "$data/hosts" "$host" 2>/dev/null
  # mkdir decides: of any number of starts one makes the folder and speaks.
  if mkdir "$host/no-node" 2>/dev/null; then
    printf '%s\n' '{"systemMessage":"Second Brain is asleep: it needs Node.js 20.19 or newer and found none. Your session is not affected."}'
  fi
fi
exit 0
