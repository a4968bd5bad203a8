/** Random command lines for shells: what they print is the same each time, and is not larger than what passes through. */

import * as fc from "fast-check";

const word = fc.constantFrom(
  "a",
  "b c",
  "$HOME/x",
  "$X",
  '"$Y"',
  "'q'",
  "*.txt",
  "~",
  "{1..3}",
  "$((1+2))",
  "ä",
  "$'\\t'",
  "\\$",
);
const small = fc.integer({ min: 0, max: 5 });
const code = fc.constantFrom(0, 1, 2, 3, 42, 126, 127, 128, 255);
const signal = fc.constantFrom("TERM", "KILL", "HUP", "USR1", "PIPE", "ALRM");
const name = fc.constantFrom("one.txt", "two.txt", "dir/three", "new");
const stream = fc.constantFrom(
  "",
  " >&2",
  " >> one.txt",
  " 2>&1",
  " 2> /dev/null",
  " > /dev/stderr",
  " >/dev/stdout",
  " | cat >&2",
);

/** One command that is complete in itself. */
const simple = fc.oneof(
  fc.tuple(word, stream).map(([it, to]) => `echo ${it}${to}`),
  fc.tuple(word, word).map(([first, second]) => `printf '%s\\n' ${first} ${second}`),
  fc.constantFrom(
    "printf 'a\\0b\\377\\303('",
    "cat",
    "cat > got.txt",
    'read -r line; echo "[$line]"',
    "wc -c",
    "cd dir",
    "cd /; pwd",
    "cd - ",
    "pwd",
    "X=1",
    "export Y='p q'",
    "unset X",
    "set -e",
    "set -u",
    "set -o pipefail",
    "shopt -s nullglob",
    "shopt -s expand_aliases\nalias hi='echo hello'\nhi",
    'f() { echo in f "$@"; return 7; }; f 1 2',
    "g() { local z=5; echo $z; }; g",
    "trap 'echo bye' EXIT",
    "trap 'echo term' TERM; kill -TERM $$",
    "trap '' PIPE",
    "cat <<EOF\nhere $X\nEOF",
    "cat <<'EOF'\nhere $X\nEOF",
    'cat <<< "string $Y"',
    "source lib.sh",
    "exec 3>third; echo three >&3",
    "exec 2>&1",
    "exec 1>&2",
    "diff <(echo 1) <(echo 2)",
    "echo x | tee >(cat >&2) >/dev/null; wait",
    "false",
    "nosuchprogram",
    "./one.txt",
    "ls",
    "ls nothing",
    "a=(1 2 3); echo ${a[@]} ${#a[@]}",
    "declare -A m=([k]=v); echo ${m[k]}",
    "(exit 3); echo $?",
    "{ echo 1; echo 2 >&2; echo 3; }",
    "seq 1 300",
    "seq 1 100000 | head -3",
    "yes | head -2",
    "yes | head -2; echo ${PIPESTATUS[@]}",
    "sleep 0.01 & wait; echo waited $?",
    "(sleep 0.05; echo late > late.txt) & wait",
    "exec echo replaced",
    'echo $0 $# "$@" $-',
    "echo ${BASH_SUBSHELL} $SHLVL",
    "umask; ulimit -n; ulimit -c",
    "[ -t 1 ] && echo tty; [ -t 0 ] && echo tty",
    "test -p /dev/stdin; echo $?",
    "env | grep -v '^_=' | sort",
    "time true 2>/dev/null",
    "eval 'echo $((2*3))'",
    "let x=0",
    "echo unfinished 'quote",
    "if",
    ")",
    "mkdir -p made/it; touch made/it/x",
    "rm -f two.txt",
    "mv one.txt moved",
    "printf '%s' no-line-feed",
    "jobs; set -m; true & wait",
    "echo $BASH_VERSION",
    "type cd f 2>&1",
    "hash; command -v cat",
    "readlink /proc/self/fd/0 | cut -c1-5",
    "kill -0 $$ && echo alive",
    'python3 -c \'import os,sys; os.write(2,b"e"); os.write(1,b"o")\' 2>/dev/null || true',
    "timeout 5 sh -c 'exit 9'; echo $?",
    "env -i /bin/echo bare",
    "nohup true 2>&1",
    "cat /dev/null no such file",
    "coproc cat; echo co >&${COPROC[1]}; exec {COPROC[1]}>&-; cat <&${COPROC[0]}",
  ),
  fc.tuple(name, word).map(([file, it]) => `echo ${it} > ${file}`),
  fc.tuple(small, small).map(([from, to]) => `for i in $(seq ${from} ${to}); do echo $i; done`),
  code.map((it) => `(exit ${it})`),
  code.map((it) => `sh -c 'exit ${it}'`),
  signal.map((it) => `sh -c 'kill -${it} $$'; echo $?`),
);

/** A command that may end the shell. */
const last = fc.oneof(
  simple,
  code.map((it) => `exit ${it}`),
  signal.map((it) => `kill -${it} $$; sleep 5`),
);

const joined: fc.Arbitrary<string> = fc.tuple(
  simple,
  fc.array(fc.tuple(fc.constantFrom("; ", " && ", " || ", "\n", " | "), simple), { maxLength: 4 }),
).map(([first, others]) => first + others.map(([by, it]) => by + it).join(""));

/** Whole command lines for `bash -c`. */
export const SHELL_LINES: fc.Arbitrary<string> = fc.tuple(
  joined,
  fc.oneof(
    { weight: 6, arbitrary: fc.constant("") },
    fc.constantFrom("(", "{ ", "set -e\n", "if true; then "),
  ),
  last,
).map(([lines, opening, end]) => {
  const closing: Record<string, string> = { "(": ")", "{ ": "\n}", "if true; then ": "\nfi" };
  return `${opening}${lines}\n${closing[opening] ?? ""}\n${end}`;
});
