/** Pipes under `shell` that cut: what is said of them, and that they are as under bash in all else (contract, The shell). */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differenceFromBash } from "./both_shells.ts";
import { makeWorld } from "./world.ts";

/** Lines that could see the mechanism, or in which one of its parts cannot work. */
const LINES = [
  "exec 2>&-; seq 1 9000 | awk 'NR < 3' && echo yes || echo no",
  "exec 1>&-; seq 1 9000 | awk 'NR < 3' && echo yes >&2 || echo no >&2",
  "seq 1 9000 | awk 'NR < 3' 2>&- && echo yes || echo no",
  "seq 1 20000 | tail -3",
  "seq 1 20000 | head -1; echo ${PIPESTATUS[@]}",
  String.raw`set -o pipefail; seq 1 20000 | head -200; echo $?`,
  "seq 1 20000 | head -2000 | tail -1; echo ${PIPESTATUS[@]}",
  "yes | head -1; echo ${PIPESTATUS[@]}",
  'mkdir d; cd d; rm -rf ../d; seq 1 20 | tail -1; echo "${PIPESTATUS[@]}"',
  'mkdir d; cd d; rm -rf ../d; seq 1 20000 | tail -1; echo "${PIPESTATUS[@]}"',
  'ulimit -v 300000; seq 1 9000 | tail -1; echo "${PIPESTATUS[@]}"',
  'ulimit -d 100000; seq 1 9000 | tail -1; echo "${PIPESTATUS[@]}"',
  "exec 2>err.txt; seq 1 9000 | tail -1; cat err.txt; [ -s err.txt ] && echo yes",
  "{ seq 1 9000 | head -2; echo end; } > report.txt 2>&1; cat report.txt",
  "seq 1 3000 | wc -l &> n.txt; cat n.txt",
  "exec > log.txt 2>&1; seq 1 3000 | tail -1",
  "seq 1 3000 | wc -l 2>&1 | cat -A",
  String.raw`set -Eeuo pipefail; trap 'echo "failed at line $LINENO"' ERR; seq 1 3 | grep -q 7`,
  String
    .raw`set -E; trap 'echo "failed at line $LINENO $BASH_COMMAND"' ERR; seq 1 3 | grep 7; seq 1 9000 | tail -1`,
  "set -T; trap 'echo ret' RETURN; f() { seq 1 9000 | tail -1; }; f",
  String.raw`set -T; trap 'echo dbg $BASH_COMMAND' DEBUG; seq 1 9000 | tail -1`,
  "seq 1 9000 | tail -2; declare -F; type tail; set | grep -c fdtool; compgen -A function; env | grep -i bash_env",
  "seq 1 9000 | tail -2; f() { :; }; declare -F",
  "env | grep -ic fdtool_cut; seq 1 9000 | tail -1",
  "PATH=; seq 1 3 | tail -1",
  "PATH=/nowhere; seq 1 3 | tail -1",
  "tail() { echo mine; }; seq 1 9000 | tail -1; unset -f tail; seq 1 9000 | tail -1",
  String.raw`shopt -s expand_aliases
alias tail='tail -3'
seq 1 9000 | tail`,
  String.raw`seq 1 9000 | command tail -1; seq 1 9000 | \tail -1; seq 1 9000 | "tail" -1`,
  "seq 1 9000 | { tail -1; echo more; }; seq 1 9000 | tail -2",
  "seq 1 9000 | (tail -1; echo more) | tail -2",
  "seq 1 9000 | eval 'tail -1; echo x'; seq 1 9000 | tail -2",
  "seq 1 9000 | if true; then tail -1; fi | tail -2",
  "shopt -s lastpipe; seq 1 9000 | tail -1; echo here",
  String.raw`seq 1 9000 | tail -f & sleep .2; kill $!; wait $!; echo $?`,
  "set -x; seq 1 9000 | tail -1; set +x; seq 1 9000 | tail -1",
  "set -euxo pipefail; seq 1 9000 | grep 77 | head -3",
  "PS4='+$LINENO ${FUNCNAME[0]}: '; set -x; seq 1 9000 | tail -1",
  "exec 7>trace; BASH_XTRACEFD=7; set -x; seq 1 9000 | tail -1; cat trace",
  "seq 1 9000 | tail -1 >&-; echo ${PIPESTATUS[@]}",
  "exec 1>&-; seq 1 9000 | tail -1; echo ${PIPESTATUS[@]} >&2",
  "exec 2>&-; seq 1 9000 | tail -1; echo ${PIPESTATUS[@]}",
  "exec 0<&-; seq 1 9000 | tail -1; echo ${PIPESTATUS[@]}",
  "umask 777; seq 1 9000 | tail -1; umask 022",
  "umask 777; seq 1 9000 | head -1; umask 022",
  "set -C; seq 1 9000 | tail -1 > one.txt; seq 1 9000 | tail -1",
  String.raw`set -f; IFS=0; seq 1 9000 | tail -1; seq 1 9000 | head -n 3; echo $IFS`,
  "trap '' PIPE; yes 2>/dev/null | head -1; echo ${PIPESTATUS[@]}",
  "trap '' TERM INT; seq 1 100000 | head -1; echo ${PIPESTATUS[@]}",
  "(echo 1; sleep .1; echo 2; sleep .1; echo 3) | head -2; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | head -1; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | tail -1 one.txt; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | tail --bad; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | sed -n 1p\\;q; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | awk '{exit}'; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | grep -m1 1; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | grep -q 1; echo ${PIPESTATUS[@]}",
  "{ echo 1; sleep .2; echo 2; sleep .1; echo done >&2; } | head -c 1; echo ${PIPESTATUS[@]}",
  String.raw`seq 1 20000 | awk '{ print > "f" }'; wc -l f; seq 1 20000 | sort -u -o g; wc -l g`,
  String.raw`seq 1 20000 | awk '{ print $1 }' | tail -1`,
  String
    .raw`seq 1 9 | awk '{ print ENVIRON["SHLVL"], ENVIRON["LC_ALL"] }'; seq 1 2 | LC_ALL=C awk '{ print ENVIRON["SHLVL"], ENVIRON["LC_ALL"] }'`,
  String
    .raw`seq 1 5 | awk 'BEGIN { system("echo hi"); "date +%Y" | getline y; close("date +%Y"); print (y > 2000) } END { print NR | "cat"; close("cat"); print "e" }'`,
  String
    .raw`printf 'a\0b\nc\0d\n' | head -1 | od -c; printf 'a\0b\nc\0d' | head -5 | od -c; printf 'no feed' | head -1`,
  String.raw`head -3 one.txt; seq 1 9000 | head -2; x=$(seq 1 9000 | head -3 | tail -1); echo $x`,
  String.raw`printf '%s\n' "--- tail ---"; seq 1 9000 | tail -1`,
  "diff <(seq 1 9000 | tail -2) <(seq 1 9000 | head -2); seq 1 9000 | tee >(tail -1 >&2) | tail -1",
  "coproc { seq 1 9000 | tail -1; }; cat <&${COPROC[0]}",
  String.raw`! seq 1 9000 | grep zzz; echo $?`,
  "seq 1 9000 | tail -1 | (exit 3); echo ${PIPESTATUS[@]} $?",
  String.raw`for i in {1..50}; do seq 1 $i | tail -1; done | tail -2`,
  String.raw`seq 1 9000 | tail -2 & wait -n; echo $?`,
  String.raw`trap 'echo bye $?' EXIT; seq 1 9000 | tail -1`,
  String.raw`trap 'echo bye $?' EXIT; seq 1 9000 | grep zz`,
  "seq 1 9000 | grep zz",
  "(exit 3) | tail -1",
  String.raw`f() { seq 1 9000 | tail -"$1"; echo $FUNCNAME; }; f 2`,
  String.raw`f() { seq 1 9000 | tail -"$1"; return 3; }; f 2; echo $?`,
  "echo 'tail -1; echo in' > s.sh; seq 1 9000 | . ./s.sh; seq 1 9000 | tail -2",
  "echo 'x() { tail -1; echo after; }' > s.sh; . ./s.sh; seq 1 9000 | x; seq 1 9000 | tail -2",
  "seq 1 9000 |& tail -2 2>&1",
  String.raw`seq 1 9000 | tail -1 < one.txt; seq 1 9000 | tail -1 <<< str; seq 1 9000 | tail -1 <<EOF
here
EOF`,
  String.raw`set -m; seq 1 9000 | tail -1 & wait; echo $?`,
  "seq 1 9000 | exec tail -1; echo ok",
  "[ -p /dev/stdin ] && echo pipe; seq 1 9 | tail -1",
  String.raw`seq 1 9000 | tail -1; jobs -l; echo $!`,
  "seq 1 9000 | xargs -n 5000 echo | tail -1 | cut -c1-9",
  "HOME=/nonexistent; seq 1 9000 | tail -1",
  "chmod 000 dir; seq 1 9000 | tail -1; chmod 755 dir",
  String.raw`kill -TERM $$ | tail -1; seq 1 9000 | tail -1`,
  String.raw`seq 1 9000 | tail -1; kill -TERM $$`,
  "seq 1 9000 | sh -c 'kill -SEGV $$' | tail -1; echo ${PIPESTATUS[@]}",
  "seq 1 9000 | sort -u | uniq -c | head -1",
  "seq 1 3000 | uniq > out; cmp <(seq 1 3000) out",
  String.raw`: | tail -1; : | head -1; : | grep x; echo $?`,
  "seq 1 20000 > list; cat list | head -3; echo ${PIPESTATUS[@]}",
  ": a; seq 1 9000 | tail -1 $x; echo $_",
  "enable -n read local exec; seq 1 9000 | tail -1; enable -n",
  "local() { echo L; }; function read { echo R; }; seq 1 9000 | tail -1; seq 1 9000 | head -1",
  "shift() { echo S; }; seq 1 9000 | tail -1",
  "seq 1 9000 | bash -c 'echo $SHLVL; seq 1 9000 | tail -1'",
  "echo $SHLVL; bash -c 'echo $SHLVL; seq 1 9000 | tail -1'",
  "grep SigCgt /proc/$$/status | tail -1",
  "echo $BASH_EXECUTION_STRING | tail -1; ps -o args= -p $$ | tail -1",
  "set -v; seq 1 9000 | tail -1",
  "set -k; seq 1 9000 | tail -1 X=5",
  "set -r; seq 1 9000 | tail -1",
  "{ seq 1 9000 | tail -1",
  "if true; then seq 1 9000 | tail -1",
  "case x in x) seq 1 9000 | tail -1",
  "echo 'unclosed\"; seq 1 9000 | tail -1",
  "seq 1 9000 | tail -1 \\",
  "(exit 3) | tail -1 <<E",
  "trap; ulimit -Sn; seq 1 9000 | tail -1",
  "set -eo pipefail; trap 'seq 1 9000 | grep 5 > /dev/full | tail -1' EXIT; false",
  "(for c in tail head; do $c -1 list; done); seq 1 9000 | tail -1",
  'set -- head tail; ("$2" -1 list; echo more); seq 1 9000 | tail -1',
  "c=ta; c+=il; (${c} -1 list; echo more); seq 1 9000 | tail -1",
  'run() { echo "+ $*"; "$@"; echo "= $?"; }; seq 1 9000 | run head -2; seq 1 9000 | head -1',
  String.raw`c='ta''il -1 list'; (eval "$c"; echo more); seq 1 9000 | tail -1`,
  "(2>/dev/null tail -1 list; echo more); seq 1 9000 | tail -1",
  "(> f tail -1 list; cat f); seq 1 9000 | tail -1",
  "(case x in x) tail -1 list; echo more;; esac); seq 1 9000 | tail -1",
  String.raw`(\tail -1 list; echo more); seq 1 9000 | tail -1`,
  "(X=$(echo a b) tail -1 list; echo more); seq 1 9000 | tail -1",
  "if type -t tail; then for c in tail head; do command -v $c; done; fi; seq 1 9000 | tail -1",
  String.raw`builtin type tail; \type -t tail; while command -v tail; do break; done; seq 1 9000 | tail -1`,
  "set 2>&1 | grep -c '^tail'; declare 2>/dev/null | grep -c fdtool; seq 1 9000 | tail -1",
  "declare -x -f tail; declare -g -f; seq 1 9000 | tail -1",
  "read PATH <<< /nowhere; /usr/bin/seq 1 9000 | tail -1; printf -v PATH /; /usr/bin/seq 1 9000 | tail -1",
  "seq 1 9000 | tail -0; seq 1 9000 | tail -n 0; seq 1 9000 | tail -1",
  "export PATH=/nowhere; /usr/bin/seq 1 9000 | tail -1; unset PATH; declare -x PATH=/; /usr/bin/seq 1 9 | tail -1",
  "PS4='$(echo traced >> f)+ '; set -x; seq 1 9000 | tail -1; set +x; wc -l < f",
  "seq 1 9000 | head -n3; seq 1 9000 | head --lines=3; seq 1 9000 | head -03; seq 1 9000 | head; seq 1 9000 | head -n 9000 | md5sum",
];

Deno.test("shell: no line sees that pipes are copied, and none loses output where that is impossible", async () => {
  using world = makeWorld();
  for (const line of LINES) {
    const difference = await differenceFromBash(world, line);
    assertEquals(difference?.got, difference?.wanted, line);
  }
});

Deno.test("shell: pipes are as under bash where TMPDIR, the store, the limits or the options prevent copies", async () => {
  using world = makeWorld();
  writeFileSync(join(world.dir, "file"), "");
  const settings: Record<string, string>[] = [
    { TMPDIR: join(world.dir, "file") },
    { TMPDIR: "/nowhere" },
    { FDTOOL_MAX_BYTES: "2000" },
    { SHELLOPTS: "xtrace" },
    { SHELLOPTS: "verbose" },
    { BASHOPTS: "extdebug" },
    { BASH_XTRACEFD: "2" },
    { FUNCNEST: "1" },
    { POSIXLY_CORRECT: "1" },
    { SHELLOPTS: "posix" },
    { "BASH_FUNC_f%%": "() {  tail -1; echo more; }" },
    { "BASH_FUNC_f%%": '() {  type -t "$1"; }' },
    { PS4: "$(echo traced >> f)+ " },
  ];
  for (const env of settings) {
    const lines = [
      "seq 1 9000 | tail -1; echo ${PIPESTATUS[@]}",
      "f() { seq 1 9000 | head -1; }; f",
      "seq 1 9000 | f tail; set -x; seq 1 9000 | tail -1",
    ];
    for (const line of lines) {
      const difference = await differenceFromBash(world, line, { env });
      assertEquals(difference?.got, difference?.wanted, `${JSON.stringify(env)} ${line}`);
    }
  }
});

Deno.test("shell: TMPDIR may have any name, and nothing is left in it", async () => {
  using world = makeWorld();
  for (const name of ["with space", "$(echo x)", "quote'\"", "new\nline"]) {
    const TMPDIR = join(world.dir, name);
    Deno.mkdirSync(TMPDIR);
    const ran = await world.run(["shell", "-c", "seq 1 20000 | tail -1; seq 1 20000 | head -1"], {
      env: { TMPDIR },
    });
    assertEquals([ran.code, ran.text], [0, "20000\n1\n"], name);
    assertMatch(ran.stderr, /^fdtool: tail showed 1 of 20,000 lines.*\nfdtool: head showed 1 line and ended/);
    assertEquals(readdirSync(TMPDIR), []);
  }
});

Deno.test("shell: copies that a killed call left are removed, and a directory that is not private is not used", async () => {
  using world = makeWorld();
  const TMPDIR = join(world.dir, "tmp");
  const shared = join(TMPDIR, `.fdtool-cut-${Deno.uid()}`);
  const line = "seq 1 20000 | tail -1";
  Deno.mkdirSync(TMPDIR);
  await world.shell(`fdtool shell -c '${line}; kill -KILL $PPID' 2> killed`, { env: { TMPDIR } });
  assertEquals(readdirSync(shared).length, 1);
  const ran = await world.run(["shell", "-c", line], { env: { TMPDIR } });
  assertStringIncludes(ran.stderr, "tail showed 1 of 20,000 lines");
  assertEquals(readdirSync(TMPDIR), []);
  Deno.mkdirSync(shared, { mode: 0o755 });
  assertEquals((await world.run(["shell", "-c", line], { env: { TMPDIR } })).text, "20000\n");
  assertEquals(readdirSync(shared), []);
});

Deno.test("shell: what it says of a pipe is written to its own stderr, and is not part of the output", async () => {
  using world = makeWorld();
  const lines: readonly (readonly [line: string, shown: string])[] = [
    ["seq 1 9000 | tail -2 > out 2>&1; cat out", "8999\n9000\n"],
    ["{ seq 1 9000 | head -2; echo end; } > out 2>&1; cat out", "1\n2\nend\n"],
    ['x=$( { seq 1 9000 | tail -2; } 2>&1 ); echo "[$x]"', "[8999\n9000]\n"],
    ["exec 2> err; seq 1 9000 | tail -1; [ -s err ] && echo written", "9000\n"],
    ["seq 1 9000 | tail -1 2> /dev/null", "9000\n"],
  ];
  for (const [line, shown] of lines) {
    const ran = await world.run(["shell", "-c", line]);
    assertEquals(ran.text, shown, line);
    assertMatch(ran.stderr, /^fdtool: .*fd:\d+\n$/);
  }
  // Neither counted nor stored.
  const most = await world.run(["shell", "-c", "yes 123456789 | head -795"]);
  assertEquals(most.text, "123456789\n".repeat(795));
});

Deno.test("shell: a pipe passes whole where its copy has no room", async () => {
  using world = makeWorld();
  const pipe = "seq -f %099.0f 100000 | head -9000 | md5sum";
  const wanted = await world.shell(pipe);
  for (const size of ["8k", "72k", "100k", "600k"]) {
    const line = `mkdir tiny && mount -t tmpfs -o size=${size} tmpfs tiny || exit 99
    TMPDIR=$PWD/tiny exec fdtool -c '${pipe}'`;
    const ran = await world.shell(`exec unshare -rm /bin/sh -c "$LINE"`, { env: { LINE: line } });
    // Some systems allow no mount.
    if (ran.code === 0) assertEquals(ran.text, wanted.text, size);
    Deno.removeSync(join(world.dir, "tiny"));
  }
});

Deno.test("shell: a copy that ends at its limit says so", async () => {
  using world = makeWorld();
  // A quarter of what is free, here.
  const line = `mkdir tiny && mount -t tmpfs -o size=4M tmpfs tiny || exit 99
    TMPDIR=$PWD/tiny exec fdtool -c 'seq 1 1000000 | tail -1'`;
  const ran = await world.shell(`exec unshare -rm /bin/sh -c "$LINE"`, { env: { LINE: line } });
  // Some systems allow no mount.
  if (ran.code !== 0) return;
  assertEquals(ran.text, "1000000\n");
  assertMatch(ran.stderr, /^fdtool: tail read more than 165,\d+ lines; the first 1\.0 MiB: fd:1\n$/);
});

Deno.test("shell: nothing is said of pipes that only count, test or write a file", async () => {
  using world = makeWorld();
  const lines = [
    "seq 1 9000 | wc -l",
    "seq 1 9000 | grep -c 1",
    "if seq 1 9000 | grep -q 77; then echo yes; fi",
    "seq 1 9000 | sort -u -o sorted",
    "seq 1 9000 | awk '{ print > \"written\" }'",
    "seq 1 9000 | sort -u > sorted",
    "seq 1 9 | tail -3",
  ];
  for (const line of lines) assertEquals((await world.run(["shell", "-c", line])).stderr, "", line);
  assertEquals((await world.run(["ls"])).text.includes("fd:1"), false);
});

Deno.test("shell: a pipe in the background goes on after the shell, with all of its input", async () => {
  using world = makeWorld();
  const pipe = "{ seq 1 50; read -r x < go; seq 51 100; } | head -80 | tail -1 > out";
  await world.shell("mkfifo go end");
  const ran = await world.run(["-c", `(${pipe}; echo > end) > /dev/null 2>&1 & echo started`]);
  assertEquals([ran.code, ran.text], [0, "started\n"]);
  await world.shell("echo > go; read -r x < end");
  assertEquals(world.text("out"), "80\n");
});

Deno.test("shell: a large copy is stored as it is, but not while a pipe in the background writes to it", async () => {
  using world = makeWorld();
  await world.shell("mkfifo ready go end");
  const large = "yes 123456789 | head -4000000";
  const onOneDisk = { env: { TMPDIR: world.dir } };
  const kept = await world.run(["-c", `{ ${large}; } | tail -1`], onOneDisk);
  assertEquals(kept.stderr, "fdtool: tail showed 1 of 4,000,000 lines; all of them: fd:1\n");
  const pipe = `{ ${large}; echo > ready; read -r x < go; ${large}; } | tail -1`;
  await world.run(["-c", `(${pipe}; echo > end) > /dev/null 2>&1 & read -r x < ready`], onOneDisk);
  const contents = async () =>
    await world.shell('find "$FDTOOL_STORE" -size +30M -printf "%f %s %n\\n" | sort');
  const before = (await contents()).text;
  assertMatch(before, /^1.dat 40000000 1\n2.dat \d+ 1\n$/);
  await world.shell("echo > go; read -r x < end");
  assertEquals((await contents()).text, before);
  assertStringIncludes((await world.run(["verify"])).text, 'damaged="0"');
});

Deno.test("shell: a failure that a pipe masks is named", async () => {
  using world = makeWorld();
  const failing = "sh -c 'seq 1 9000; exit 2'";
  const lines: readonly (readonly [line: string, said: string])[] = [
    [`${failing} 2>&1 | tail -5`, "sh exited with 2"],
    [`cd .; X=1 ${failing} | grep 77 | head -2`, "sh exited with 2"],
    ["{ seq 1 9000; exit 3; } | tail -5", "exited with 3"],
    ["sh -c 'seq 1 9; exit 4' | tail -5", "sh exited with 4"],
    // What Claude Code runs.
    [
      `source /dev/null || true && eval 'sh -c '"'"'seq 1 9; exit 2'"'"' | tail -1' < /dev/null && pwd -P >| cwd`,
      "sh exited with 2",
    ],
  ];
  for (const [line, said] of lines) {
    const ran = await world.run(["shell", "-c", line]);
    assertEquals(ran.code, 0);
    assertStringIncludes(ran.stderr, `${said}\n`, line);
  }
  for (
    const line of [
      "yes | head -1",
      "sh -c 'exit 2' | tail -1",
      `set -o pipefail; ${failing} | tail -1`,
      `${failing} | tail -1; true`,
    ]
  ) {
    const { stderr } = await world.run(["shell", "-c", line]);
    assertEquals(stderr.includes("exited"), false, line);
  }
});

Deno.test("shell: a store that cannot keep what a pipe cut away is reported", async () => {
  using world = makeWorld();
  writeFileSync(join(world.dir, "file"), "");
  const env = { FDTOOL_STORE: join(world.dir, "file", "store") };
  const ran = await world.run(["shell", "-c", "seq 1 9000 | tail -1"], { env });
  assertEquals([ran.code, ran.text], [0, "9000\n"]);
  assertStringIncludes(ran.stderr, "<fd_error ");
});
