#!/bin/sh
# Stands between the host and node: DATA EVENT (a hook, which reads this file into its shell if it is there) or DATA monitor ROOT.
# A PostToolUse without mail ends here. The payload is never parsed here; paths may hold any character.
data=$1 event=$2
here=${0%/*}
# Where the system's own programs are: a project's settings can put its own before them.
system=/usr/bin:/bin:/run/current-system/sw/bin

# Ends the hook. stdin is always read to its end: a host that writes into a closed pipe reports an error. Where the host
# would let us wait for a minute, for 4 s at most (127: no such command here).
drain() {
  if [ "$event" = UserPromptSubmit ]; then
    PATH=$system:$PATH timeout 4 cat >/dev/null 2>&1
    [ $? -eq 127 ] || exit 0
  fi
  # In our place rather than beside us: a process less.
  [ -x /bin/cat ] && exec /bin/cat >/dev/null
  PATH=$system:$PATH cat >/dev/null
  exit 0
}

# Nothing of a headless run or of our own children is observed, and nothing is said there.
if [ "$event" != monitor ] && { [ "${CLAUDE_CODE_ENTRYPOINT-}" != cli ] || [ -n "${SECOND_BRAIN_FORK-}" ]; }; then
  drain
fi

# The data directory: the argument, which arrives empty or as its own placeholder when the host has none; for hooks the
# variable (a project's settings can set a monitor's); else the newest of the plugin's folders.
case $data in
'' | '${'*)
  data=
  [ "$event" = monitor ] || data=${CLAUDE_PLUGIN_DATA-}
  if [ -z "$data" ]; then
    for found in "${CLAUDE_CONFIG_DIR:-$HOME/.claude}"/plugins/data/second-brain-*; do
      if [ -d "$found" ] && { [ -z "$data" ] || [ "$found" -nt "$data" ]; }; then data=$found; fi
    done
  fi
  ;;
esac

if [ "$event" = PostToolUse ] && [ -n "${CLAUDE_CODE_SESSION_ID-}" ]; then
  set -- "$data/sessions/$CLAUDE_CODE_SESSION_ID/mailbox/new"/*
  [ -e "$1" ] || drain
fi

# Whether a program is there and none of the project's own: `..`, links and /proc/self/cwd spell one way in many words.
foreign() {
  [ -x "$1" ] || return 1
  case ${1%/node} in /usr/bin | /usr/local/bin | /opt/homebrew/bin) return 0 ;; [!/]*) return 1 ;; esac
  (
    CDPATH=
    cd -P . && here=$PWD && cd -P "${CLAUDE_PROJECT_DIR:-.}" && project=$PWD && cd -P "${1%/*}/" || exit 1
    case $PWD/ in "$here"/* | "$project"/*) exit 1 ;; esac
  ) 2>/dev/null
}

# Node on PATH, else where version managers and installers put it; of several versions the last in name order from 20 up.
# A project's settings can set PATH and all the others: what the project itself calls node is taken only where there is no other.
own=
node=$(command -v node 2>/dev/null)
if ! foreign "$node"; then
  [ -x "$node" ] && own=$node
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
    foreign "$found" && node=$found
  done
fi
[ -n "$node" ] || node=$own

# Node 20 reads the bundle at every start (tens of ms; a monitor is told of it, for whom the user lets trust it), and the
# host's own channel is none of ours. By the rest a project
# could load code into node, have it write somewhere or loosen its connections.
ca=${NODE_EXTRA_CA_CERTS-}
unset NODE_EXTRA_CA_CERTS CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN
unset NODE_OPTIONS NODE_PATH NODE_COMPILE_CACHE NODE_V8_COVERAGE NODE_REDIRECT_WARNINGS NODE_DEBUG NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_ENV_PROXY OPENSSL_CONF OPENSSL_MODULES

if [ "$event" = monitor ]; then
  # To be asked for its version alone takes node a tenth of a start.
  [ -n "$node" ] && case $("$node" --version 2>/dev/null) in
  v20.19.* | v20.[2-9][0-9].* | v22.[3-9].* | v22.[1-9][0-9].* | v2[3-9].* | v[3-9][0-9].*)
    # A process that mostly waits: fewer heaps for malloc and a small nursery keep it a sixth smaller.
    MALLOC_ARENA_MAX=2
    export MALLOC_ARENA_MAX
    exec "$node" --max-semi-space-size=2 "$here/monitor.cjs" --data "$data" --root "$3" --project "$PWD" --ca="$ca"
    ;;
  esac
  # An exit would wake the model: stay, silent, as long as the host lives.
  while kill -0 "${CLAUDE_PID:-$PPID}" 2>/dev/null; do PATH=$system:$PATH sleep 5; done
  exit 0
fi

if [ -n "$node" ] && [ -n "$data" ]; then
  # Not exec: whatever becomes of node, the host sees success and no noise, neither its own nor this shell's about it.
  # One thread reads stdin; four would be started for it.
  { UV_THREADPOOL_SIZE=1 "$node" "$here/hook.cjs" "$data" "$event"; } 2>/dev/null
  # 42: this node is too old.
  [ $? -eq 42 ] || exit 0
fi

if [ "$event" = SessionStart ] && [ -n "$data" ]; then
  host="$data/hosts/${CLAUDE_PID:-s-${CLAUDE_CODE_SESSION_ID-}}"
  PATH=$system:$PATH mkdir -p -m 700 "$data/hosts" "$host" 2>/dev/null
  # mkdir decides: of any number of starts one makes the folder and speaks.
  if PATH=$system:$PATH mkdir "$host/no-node" 2>/dev/null; then
    printf '%s\n' '{"systemMessage":"Second Brain is asleep: it needs Node.js 20.19, 22.3 or newer and found none that is. Your session is not affected."}'
  fi
fi
drain
