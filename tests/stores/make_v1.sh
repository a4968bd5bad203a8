#!/bin/sh
# Makes v1.tar.gz, a store of format version 1 with everything that one could hold, and v1.json, what it
# answered. FDTOOL is a binary that writes version 1: that of commit 6a137b8. Needs strace.
set -eu
here=$(cd "$(dirname -- "$0")" && pwd)
root=/tmp/fdtool-v1
rm -rf "$root"
mkdir -p "$root/files"
cd "$root/files"
HOME=$root
FDTOOL_STORE=$root/store
export HOME FDTOOL_STORE
unset XDG_STATE_HOME || true

quiet() { "$FDTOOL" "$@" >"$root/answer" 2>&1 || true; }
kill_writer() { # of fd:$1, once its content has arrived
  until [ -s "$root/store/v1/fds/0000/$1.dat" ]; do sleep 0.1; done
  kill -9 "$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$root/store/v1/fds/0000/$1.rec")"
  wait || true
}
lines() { # $1 lines
  i=0
  while [ $i -lt "$1" ]; do
    i=$((i + 1))
    echo "line $i of a log, with é and $((i * 7919 % 1000))"
  done
}

printf 'one\ntwo\nthree\n' | "$FDTOOL" capture --always                            # fd:1
lines 1200 | "$FDTOOL" capture --always --name log                                 # fd:2, two blocks
printf 'a\0b\377\376\303\nc\r\nd' | "$FDTOOL" capture --always --name bytes         # fd:3, ill-formed
quiet run --always -- sh -c 'echo out; echo err >&2; exit 3'                       # fd:4
lines 100 | "$FDTOOL" capture --always --max-bytes 900                             # fd:5, with a gap
printf '' | "$FDTOOL" capture --always                                             # fd:6
echo 'to be removed' | "$FDTOOL" capture --always                                  # fd:7
"$FDTOOL" rm fd:7
"$FDTOOL" read fd:2 --lines 10-20 --extract                                        # fd:8
{ printf 'arrived\n'; sleep 3; } | "$FDTOOL" capture --always >/dev/null 2>&1 &
kill_writer 9
"$FDTOOL" stat fd:9                                                                # sealed as incomplete
{ printf 'not sealed\n'; sleep 3; } | "$FDTOOL" capture --always >/dev/null 2>&1 &
kill_writer 10                                                                     # not sealed
(
  FDTOOL_STORE=$root/other
  echo 'from elsewhere' | "$FDTOOL" capture --always --name elsewhere
  "$FDTOOL" export fd:1 --output "$root/archive.tar" || "$FDTOOL" export fd:1 >"$root/archive.tar"
)
"$FDTOOL" import "$root/archive.tar"                                               # fd:11
"$FDTOOL" stat fd:2                                                                # its sha-256
printf 'old\nlines\n' >edited.txt
"$FDTOOL" edit edited.txt --old lines --new words                                  # tx:1, fd:12
printf 'a\n' >a.txt
"$FDTOOL" plan apply <<'PLAN'
{"intent": "two files", "plans": [
  {"target_file": "a.txt", "operations": [{"type": "append", "content_block": "b\n"}]},
  {"target_file": "new.txt", "operations": [{"type": "create", "content_block": "new\n"}]}
]}
PLAN
"$FDTOOL" undo                                                                     # tx:3 undoes tx:2
quiet create question.txt                                                          # inq:1
printf 'x\ny\n' >killed.txt                                                        # tx:4, killed
strace -f -qq -o "$root/trace" -e trace=rename -e inject=rename:signal=KILL:when=1 \
  "$FDTOOL" edit killed.txt --old y --new z || true
grep -q 'killed.txt' "$root/trace"

# Archives have whole seconds.
for name in "$root"/store/v1/refs/*; do touch -d "@$(stat -c %Y "$name")" "$name"; done
tar -C "$root" --sort=name --owner=0 --group=0 --numeric-owner -cf - store files | gzip -9n >"$here/v1.tar.gz"

# The answers. Those that change something (of a killed capture) come after the archive was made.
answer() { printf '"%s": ' "$*"; "$FDTOOL" "$@" --format json 2>/dev/null || true; }
{
  echo '{'
  answer ls --all; echo ,
  answer ls --removed --all; echo ,
  answer refs; echo ,
  answer log; echo ,
  answer inquiries
  for n in 1 2 3 4 5 6 8 9 10 11 12 13 14 15 16 17; do
    echo ,
    answer stat "fd:$n"
  done
  echo '}'
} >"$here/v1.json"
