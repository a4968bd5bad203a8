/** `shell` from outside: contract, The shell. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fc from "fast-check";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differenceFromBash, latin1, type Setting } from "./both_shells.ts";
import { SHELL_LINES } from "./shell_lines.ts";
import { makeWorld, programUnderTest, runsOf, type World } from "./world.ts";

const [PROGRAM, ...PROGRAM_ARGS] = programUnderTest();

/** Under Deno, a background process that outlives the shell cannot be left alone. */
const IS_BINARY = PROGRAM_ARGS.length === 0;

/** Sockets that have ended, as a program's stdin. */
function socketsAtEnd() {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  (async () => {
    for await (const connection of server) connection.close();
  })();
  return { port: server.addr.port, [Symbol.dispose]: () => server.close() };
}

for (const keeps of ["1", "0"]) {
  Deno.test(`shell: any command line does what it does under bash, FDTOOL_KEEP_CUT=${keeps}`, async () => {
    using world = makeWorld();
    using server = socketsAtEnd();
    const settings = fc.constantFrom<Setting>(
      {},
      {},
      { stdin: "one\ntwo\n" },
      { stdin: "no line feed" },
      { opening: "exec < /dev/null;" },
      { opening: "exec 3< one.txt 4>&1;" },
      { opening: "dd iflag=nonblock count=0 status=none;", stdin: "one\n" },
      { opening: "dd oflag=nonblock count=0 status=none < /dev/null;" },
      { opening: `exec < /dev/tcp/127.0.0.1/${server.port};` },
      {
        opening: `exec env -u SHLVL bash -c 'exec "$@" < /dev/tcp/127.0.0.1/${server.port}' socket "$@";`,
      },
      { env: { HOME: "/proc" } },
      { env: { TMPDIR: "/nowhere" } },
      { env: { BASH_ENV: "lib.sh" } },
      { env: { BASH_ENV: "$PWD/lib.sh" } },
      { env: { "BASH_FUNC_tail%%": "() {  echo exported; }" } },
      { opening: "umask 077; ulimit -S -n 60;" },
      { opening: "ulimit -S -n 40;" },
      { opening: "umask 0777;" },
      ...IS_BINARY
        ? [
          { opening: "exec 0<&-;" },
          { opening: "exec 1>&-;" },
          { opening: "exec 2>&-;" },
          { opening: "trap '' PIPE XFSZ WINCH;" },
        ]
        : [],
    );
    await fc.assert(
      fc.asyncProperty(SHELL_LINES, settings, async (line, setting) => {
        const env = { ...setting.env, FDTOOL_KEEP_CUT: keeps };
        const difference = await differenceFromBash(world, line, { ...setting, env });
        if (difference !== undefined) assertEquals(difference.got, difference.wanted, line);
      }),
      { numRuns: runsOf(30), endOnFailure: true },
    );
  });
}

/** Runs `fdtool shell` in a world, with separate stdout and stderr. */
async function shell(world: World, line: string, env: Record<string, string> = {}) {
  return await world.run(["shell", "-c", line], { env });
}

Deno.test("shell: large output is stored in order, exact, and answered once with the exit code", async () => {
  using world = makeWorld();
  const line = `for i in $(seq 2000); do echo "out $i"; echo "err $i" >&2; done; printf '\\377\\0'; exit 7`;
  for (const joined of [`exec 2>&1; ${line}`, line]) {
    const ran = await shell(world, joined);
    assertEquals(ran.code, 7);
    assertStringIncludes(ran.text, '<fd_result fd="fd:');
    assertStringIncludes(ran.text, 'exit_code="7"');
    assertEquals(ran.stderr, "");
    const fd = /fd:\d+/.exec(ran.text)![0];
    const kept = await world.run(["read", fd, "--all", "--format", "raw"]);
    const lines = Array.from({ length: 2000 }, (_, at) => `out ${at + 1}\nerr ${at + 1}\n`).join("");
    const content = latin1(kept.stdout);
    if (joined !== line) assertEquals(content, `${lines}\xff\0`);
    // Of two pipes the order is that of arrival.
    else assertEquals(content.replace("\xff\0", "").split("\n").sort(), lines.split("\n").sort());
  }
});

/** Deno cannot end itself by SEGV. */
const SIGNALS: readonly (readonly [string, number])[] = [
  ["TERM", 15],
  ["KILL", 9],
  ["PIPE", 13],
  ...IS_BINARY ? [["SEGV", 11] as const] : [],
];

Deno.test("shell: a signal ends it as it ended the shell", async () => {
  using world = makeWorld();
  for (const [name, number] of SIGNALS) {
    for (const before of ["echo small", "seq 1 5000"]) {
      const ran = await shell(world, `ulimit -c 0; ${before}; kill -${name} $$`);
      assertEquals([ran.signal, ran.code], [`SIG${name}`, 128 + number], `${name} after ${before}`);
      assertStringIncludes(ran.text, before === "echo small" ? "small\n" : `signal="SIG${name}"`);
    }
  }
});

Deno.test("shell: a signal that it gets itself ends the line, as under bash, and what came before is shown", async () => {
  using world = makeWorld();
  for (const name of ["TERM", "HUP", "USR1", "ALRM"]) {
    // Bash's parent is fdtool; `read` lets the signal be passed on.
    const ran = await shell(
      world,
      `echo before; kill -${name} $PPID; read -t 9 < <(exec sleep 9 2> /dev/null); echo after`,
    );
    assertEquals([ran.signal, ran.text], [`SIG${name}`, "before\n"]);
  }
});

Deno.test("shell: output that pauses is seen before the command ends", async () => {
  using world = makeWorld();
  const cases = [["", "ready"], ["seq 1 5000; ", "fdtool: 23899 bytes so far are in fd:1 (live)"]] as const;
  for (const [before, seen] of cases) {
    const line = `${before}echo ready; read -r line; echo "got $line"`;
    const child = new Deno.Command(PROGRAM!, {
      args: [...PROGRAM_ARGS, "shell", "-c", `exec 2>&1; ${line}`],
      cwd: world.dir,
      clearEnv: true,
      env: world.env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const [first, other] = before === "" ? [child.stdout, child.stderr] : [child.stderr, child.stdout];
    const reader = first.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(seen)) {
      const { done, value } = await reader.read();
      assert(!done, `it ended with ${text}`);
      text += value;
    }
    assertStringIncludes(text, "ready");
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode("on\n"));
    await writer.close();
    const rest = new Response(other).text();
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
    assertEquals((await child.status).code, 0);
    // What has passed is not shown again.
    if (before === "") assertEquals(text + await rest, "ready\ngot on\n");
    else assertStringIncludes(await rest, '<fd_result fd="fd:1"');
  }
});

Deno.test({
  name: "shell: it ends with the shell, and what the background writes later still arrives",
  ignore: !IS_BINARY,
  async fn() {
    using world = makeWorld();
    const ran = await world.shell(
      `mkfifo go; fdtool shell -c '{ read -r x < go; echo late; echo late2 >&2; } & echo first' > out 2> err; ` +
        `cat out; echo x > go; while [ "$(cat out err | wc -l)" -lt 3 ]; do :; done; cat out err`,
    );
    assertEquals(ran.text, "first\nfirst\nlate\nlate2\n");
  },
});

Deno.test("shell: if storing fails, it is the shell, and stderr says so", async () => {
  using world = makeWorld();
  writeFileSync(join(world.dir, "file"), "");
  const ran = await shell(world, "seq 1 5000; echo err >&2; seq 1 3; exit 3", {
    FDTOOL_STORE: join(world.dir, "file", "store"),
  });
  assertEquals(ran.code, 3);
  const out = Array.from({ length: 5000 }, (_, at) => `${at + 1}\n`).join("") + "1\n2\n3\n";
  assertEquals(ran.text, out);
  const lines = ran.stderr.trimEnd().split("\n");
  assertEquals(lines[0], "err");
  assertStringIncludes(lines[1]!, "<fd_error ");
  assertEquals(lines.length, 2, ran.stderr);
});

Deno.test("shell: a stdout that is a device gets what bash writes, and stderr to one is left out of the answer", async () => {
  using world = makeWorld();
  const under = async (words: readonly string[], line: string, form: string) => {
    const call = `${form.replace("%", '"$@"')}; echo "exited with $?"`;
    const args = ["-c", call, "caller", ...words, "-c", line];
    const { stdout, stderr } = await new Deno.Command("bash", { args, env: world.env, cwd: world.dir })
      .output();
    return [latin1(stdout), latin1(stderr).replace(/^fdtool: .*\n/gm, "")];
  };
  const forms = ["% > /dev/null", "% > /dev/full", "% 2> /dev/null", "% > /dev/null 2>&1"];
  // Without a name after the line, messages begin with what the shell is called by.
  const asCalled = IS_BINARY ? ["% >&-", "% <&-", "trap '' TERM; %"] : ["trap '' TERM; %"];
  for (const form of [...forms, ...asCalled]) {
    for (const line of ["seq 1 3000 >&2; echo out; exit 3", "seq 1 9000 | tail -1; echo $0; nosuch"]) {
      if (asCalled.includes(form) && line.includes("3000")) continue;
      const got = await under([PROGRAM, ...PROGRAM_ARGS, "shell"], line, form);
      assertEquals(got, await under(["bash"], line, form), `${line} ${form}`);
    }
  }
  const [stdout] = await under(
    [PROGRAM, ...PROGRAM_ARGS, "shell"],
    "seq 1 3000; seq 1 300 >&2",
    "% 2> /dev/null",
  );
  assertStringIncludes(stdout!, 'total_lines="3000"');
});

Deno.test("shell: a shell that is missing is reported with 127", async () => {
  using world = makeWorld();
  const ran = await shell(world, "echo x", { FDTOOL_SHELL: "no-such-shell" });
  assertEquals([ran.code, ran.text], [127, ""]);
  assertStringIncludes(ran.stderr, "no-such-shell");
  for (const line of ["echo x", "echo x | tail -1 2> /dev/null || echo $?"]) {
    const without = await shell(world, `PATH=/usr/bin; ${line}`, { PATH: "/no/such" });
    assertEquals([without.code, without.text], [0, "x\n"]);
  }
});

Deno.test("shell: fdtool -c is the same, so that its path alone can be named as a shell", async () => {
  using world = makeWorld();
  const ran = await world.run(["-c", 'echo "$0 $1"; exit 4', "name", "--format"]);
  assertEquals([ran.code, ran.text, ran.stderr], [4, "name --format\n", ""]);
  assertEquals((await world.run(["-ec", "false; echo no"])).code, 1);
});

Deno.test("shell: what fdtool answers to a line of its own calls is not stored once more", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "a line of some length\n".repeat(2000) });
  const read = await world.run(["-c", "cd . && fdtool read fd:1 --lines 1-1000"]);
  assertEquals(read.text.split("a line of some length").length - 1, 1000);
  assertStringIncludes((await world.run(["-c", "fdtool ls; seq 1 9000"])).text, '<fd_result fd="fd:2"');
});

Deno.test({
  name: "shell: words and variables that are not UTF-8 arrive as they are",
  ignore: !IS_BINARY,
  async fn() {
    using world = makeWorld();
    const ran = await world.shell(
      `Q=$(printf '\\372') fdtool shell -c "$(printf 'printf %%s%%s%%s "$Q" "\\376" "$1"')" name "$(printf '\\377')" | od -An -tx1`,
    );
    assertEquals(ran.text.trim(), "fa fe ff");
  },
});

Deno.test("shell: of a call by Claude Code, the model's part is recorded", async () => {
  using world = makeWorld();
  const line = "seq 1 5000 && eval 'echo '\"'\"'a b'\"'\"''";
  const quoted = `'${line.replaceAll("'", `'"'"'`)}'`;
  const calls = [["source /dev/null || true && ", " < /dev/null"], ["source /dev/null && ", ""], ["", ""]];
  for (const [at, [snapshot, stdin]] of calls.entries()) {
    const whole = `${snapshot}eval ${quoted}${stdin} && pwd -P >| 'c w d'`;
    assertStringIncludes((await shell(world, whole)).text, "<fd_result ");
    const stat = await world.run(["stat", `fd:${at + 1}`, "--format", "json"]);
    assertEquals(JSON.parse(stat.text).command, ["-c", line]);
  }
  assert(existsSync(join(world.dir, "c w d")));
});

Deno.test("shell: what the end of a pipe cuts away is kept, and a line says where", async () => {
  using world = makeWorld();
  const cases: readonly (readonly [line: string, shown: string, said: string, kept: string])[] = [
    [
      "seq 1 20000 | tail -3",
      "19998\n19999\n20000\n",
      "tail showed 3 of 20,000 lines; all of them: fd:1",
      "seq 1 20000",
    ],
    [
      "seq 1 20000 2>&1 | grep 77 | wc -l",
      "560\n",
      "grep read 20,000 lines; all of them: fd:2",
      "seq 1 20000",
    ],
    [
      "{ seq 1 5000; echo 'x.c:3: error: boom'; seq 1 5000; } | awk 'NR < 3'",
      "1\n2\n",
      "awk read 10,001 lines; all of them: fd:3; a line that matters was not shown: fdtool read fd:3 --lines 5001",
      "seq 1 5000; echo 'x.c:3: error: boom'; seq 1 5000",
    ],
    [
      "seq 1 20000 | LC_ALL=C sort -u | sed -n '$p'",
      "9999\n",
      "sed read 20,000 lines; all of them: fd:",
      "seq 1 20000 | LC_ALL=C sort -u",
    ],
  ];
  for (const [line, shown, said, kept] of cases) {
    const ran = await shell(world, line);
    assertEquals([ran.code, ran.text], [0, shown], line);
    assertStringIncludes(ran.stderr, `fdtool: ${said}`);
    const fd = /fd:\d+/.exec(ran.stderr.slice(ran.stderr.indexOf(said)))![0];
    const content = await world.run(["read", fd, "--all", "--format", "raw"]);
    assertEquals(content.text, (await world.shell(kept)).text, line);
  }
});

Deno.test("shell: the command line is found among bash's options, as bash finds it", async () => {
  using world = makeWorld();
  const line = "seq 1 20000 | tail -1; exit 4";
  for (const options of [["-c", "-l"], ["-c", "-e", "--"], ["-ce"], ["-euc"], ["-c", "--"]]) {
    const ran = await world.run(["shell", ...options, line]);
    assertEquals([ran.code, ran.text], [4, "20000\n"]);
    assertStringIncludes(ran.stderr, "tail showed 1 of 20,000 lines", options.join(" "));
    assertEquals((await world.run([...options, "echo x"])).text, "x\n");
  }
});

Deno.test("shell: a kept pipe of more than 32 MiB is not searched for lines that matter", async () => {
  using world = makeWorld();
  const ran = await shell(world, "{ echo 'x.c:3: error: boom'; seq 1 5000000; } | tail -1");
  assertEquals(ran.text, "5000000\n");
  assertEquals(ran.stderr, "fdtool: tail showed 1 of 5,000,001 lines; all of them: fd:1\n");
});

Deno.test("shell: pipes are kept, too, in the first shell of a socket, which reads .bashrc as bash does", async () => {
  using world = makeWorld();
  world.write("../home/.bashrc", "RC=read\nalias x=y\n");
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const line = 'seq 1 20000 | tail -1; echo "$SHLVL $RC $BASH_ENV"; alias';
  const ran = (shell: string) => {
    const LINE =
      `exec 3<>/dev/tcp/127.0.0.1/${server.addr.port}; exec env -u SHLVL ${shell} -c '${line}' <&3`;
    return world.shell('exec bash -c "$LINE"', { env: { LINE } });
  };
  const [wanted, got] = [await ran("bash"), await ran("fdtool shell")];
  assertStringIncludes(wanted.text, "20000\n1 read \n");
  assertEquals(got.text, wanted.text);
  assertStringIncludes(got.stderr, "tail showed 1 of 20,000 lines");
});

Deno.test("shell: a pipe that is small, whole or in a script is left alone, and so are all with FDTOOL_KEEP_CUT=0", async () => {
  using world = makeWorld();
  writeFileSync(join(world.dir, "script"), "seq 1 20000 | tail -1\n");
  const cases: readonly (readonly [line: string, shown: string, env?: Record<string, string>])[] = [
    ["seq 1 100 | tail -1", "100\n"],
    ["seq 1 20000 | grep 0000$", "10000\n20000\n", { FDTOOL_KEEP_CUT: "0" }],
    ["bash script; tail -1 script", "20000\nseq 1 20000 | tail -1\n"],
    ["seq 1 20000 > list; grep -c . list; tail -1 < list", "20000\n20000\n"],
    ['echo $BASH_ENV | tail -1; echo "${BASH_ENV-unset}"', "/dev/null\n/dev/null\n", {
      BASH_ENV: "/dev/null",
    }],
    ['echo "${BASH_ENV-unset}" | tail -1', "unset\n"],
  ];
  for (const [line, shown, env] of cases) {
    const ran = await shell(world, line, env);
    assertEquals([ran.code, ran.text, ran.stderr], [0, shown, ""], line);
  }
  const all = await shell(world, "seq 1 3000 | uniq > out; cmp <(seq 1 3000) out");
  assertEquals([all.code, all.stderr], [0, ""]);
});

for (const other of ["zsh", "sh"]) {
  Deno.test({
    name: `shell: pipes of ${other} and of the scripts that it starts are left alone`,
    ignore: !["/bin", "/usr/bin"].some((directory) => existsSync(join(directory, other))),
    async fn() {
      using world = makeWorld();
      writeFileSync(join(world.dir, "script"), 'seq 1 20000 | tail -1; echo "${BASH_ENV-unset}"\n');
      const ran = await shell(world, "bash script; seq 1 20000 | tail -2", { FDTOOL_SHELL: other });
      assertEquals([ran.code, ran.text, ran.stderr], [0, "20000\nunset\n19999\n20000\n", ""]);
    },
  });
}

Deno.test({
  name: "shell: killed by KILL, what it stored stays, and its shell goes on",
  ignore: !IS_BINARY,
  async fn() {
    using world = makeWorld();
    const line = "seq 1 20000; until [ -e killed ]; do :; done; seq 1 20000; echo $? > after";
    const ran = await world.shell(
      `seq 1 20000 > wanted; fdtool shell -c "$LINE" > out 2> err &
      until fdtool read fd:1 --all --format raw 2> read-err | cmp -s - wanted; do :; done
      kill -KILL $!; wait $! 2> wait-err; echo $?; : > killed; until [ -s after ]; do :; done; cat after out`,
      { env: { LINE: line } },
    );
    assertEquals(ran.text, "137\n141\n");
    const content = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
    assertEquals(content.text, readFileSync(join(world.dir, "wanted"), "utf8"));
    assertStringIncludes((await world.run(["stat", "fd:1"])).text, "incomplete");
  },
});

Deno.test("shell: the stages of a pipe get the signals, and the exit codes, that they get under bash", async () => {
  using world = makeWorld();
  const lines = [
    "yes | head -2; echo ${PIPESTATUS[@]}",
    "set -o pipefail; seq 1 20000 | grep -q no-such-line; echo $?",
    "seq 1 20000 | sh -c 'exit 3' | tail -1; echo ${PIPESTATUS[@]}",
    "seq 1 20000 | awk '{ exit 4 }'; echo $?",
    "seq 1 20000 | tail -1 | head -0; echo $?",
    "seq 1 20000 | tail --no-such-option 2>/dev/null; echo $?",
    "exec 2>/dev/null; seq 1 20000 | tail -2 | { read -r x; echo $x; }",
    "seq 1 20000 | grep -f <(echo 1999) | wc -l",
    "(echo 1; sleep 0.05; echo 2) | grep --line-buffered 1 | while read -r x; do echo got $x; done",
  ];
  for (const line of lines) {
    const ran = await shell(world, line);
    const wanted = await world.shell(`bash -c "$LINE"`, { env: { LINE: line } });
    assertEquals([ran.code, ran.text], [wanted.code, wanted.text], line);
  }
});

Deno.test("shell: tail and wc get all of their input, also if not all of it can be stored", async () => {
  using world = makeWorld();
  const lines = [
    "(seq 1 3; sleep 0.1; seq 4 6) | tail -n 5",
    "(seq 1 100; sleep 0.1; seq 1 5000; sleep 0.1; seq 1 9) | tail -n5010 | md5sum",
    "seq 1 50000 | tail -c 200000 | md5sum",
    "seq 1 50000 | wc -l; seq 1 50000 | wc; seq 1 50000 | wc -l -c",
    "seq 1 50000 | tail -n +49999; seq 1 50000 | tail -n 2 -; seq 1 50000 | tail -n 1k | md5sum",
    "seq 1 50000 | tail -n x 2> /dev/null; echo ${PIPESTATUS[@]}",
    "seq 1 200000 | tail -190000 | (read -r x; echo $x); echo ${PIPESTATUS[@]}",
  ];
  const settings: readonly Record<string, string>[] = [
    {},
    { FDTOOL_MAX_BYTES: "2000" },
    { FDTOOL_MAX_BYTES: "100000" },
    { FDTOOL_STORE: "/dev/null/store" },
  ];
  for (const line of lines) {
    const wanted = await world.shell(`bash -c "$LINE"`, { env: { LINE: line } });
    for (const env of settings) {
      const ran = await shell(world, line, env);
      assertEquals([ran.code, ran.text], [wanted.code, wanted.text], `${JSON.stringify(env)} ${line}`);
    }
  }
});

Deno.test("shell: many pipes in a loop are left alone after forty, and five of those that were cut get a line", async () => {
  using world = makeWorld();
  const ran = await shell(world, "for i in {1..100}; do echo $i | grep 0; done | tail -1; echo end");
  assertEquals(ran.text, "100\nend\n");
  const later = await shell(
    world,
    "for i in {1..39}; do echo $i | tail -1; done > out; seq 1 20000 | tail -1",
  );
  assertStringIncludes(later.stderr, "all of them: fd:1");
  const none = await shell(
    world,
    "for i in {1..40}; do echo $i | tail -1; done > out; seq 1 20000 | tail -1",
  );
  assertEquals([none.text, none.stderr], ["20000\n", ""]);
  const many = await shell(world, "for i in {1..7}; do seq 1 20000 | tail -1; done");
  const lines = many.stderr.trimEnd().split("\n");
  assertEquals(lines.length, 6);
  assertStringIncludes(lines[5]!, "2 more pipes");
});

Deno.test("shell: a stage by which nothing that matters is lost gets no line", async () => {
  using world = makeWorld();
  const rows = "seq -f 'row %g of the rates was read' 1 5000";
  for (
    const line of [`${rows} | cut -d' ' -f2 | sort | uniq -c | wc -l`, `${rows} | cut -c1-3 | uniq`]
  ) {
    const ran = await shell(world, line);
    assertEquals([ran.code, ran.stderr], [0, ""], line);
  }
  const cut = await shell(
    world,
    `{ ${rows}; echo "error: no rate of zone 7"; } | cut -c1-5 | sort -r | uniq`,
  );
  assertStringIncludes(cut.stderr, "a line that matters was not shown");
});

Deno.test("shell: every program that cuts is kept, writes what it writes under bash, and nothing else is said", async () => {
  using world = makeWorld();
  const made = "seq 1 10000";
  const programs = [
    "tail -3",
    "head -3",
    "grep 77",
    "rg 77",
    "sed -n 5p",
    "awk '/77/'",
    "cut -c2",
    "wc -l",
    "sort -u",
    "uniq -c",
    "less",
    "column -c 200",
    "no-such-program",
  ];
  for (const program of programs) {
    for (const mode of ["", "set -x; ", "set -eu; "]) {
      const line = `${mode}${made} | ${program}`;
      const ran = await shell(world, `exec 2>err; ${line} > out`);
      const wanted = await world.shell(`bash -c "$LINE"`, {
        env: { LINE: `exec 2>wanted-err; ${line} > wanted` },
      });
      const [out, err, wantedOut, wantedErr] = ["out", "err", "wanted", "wanted-err"].map((name) =>
        readFileSync(join(world.dir, name), "latin1")
      );
      assertEquals([ran.code, out], [wanted.code, wantedOut], line);
      // Stages of a pipe trace in any order.
      const sorted = (text: string) => text.split("\n").filter((each) => !each.startsWith("fdtool: ")).sort();
      assertEquals(sorted(err!), sorted(wantedErr!), line);
    }
  }
});

/** Whether a process exists whose command line has `word`. */
function isRunning(word: string): boolean {
  return readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

/** Ctrl-C goes to the whole group, a harness's kill to one process, and a time limit is TERM first. */
for (const [way, signal, prefix] of [["Ctrl-C", "SIGINT", "-"], ["a time limit", "SIGTERM", ""]] as const) {
  Deno.test({
    name: `shell: ${way} loses no output and leaves no process`,
    ignore: !IS_BINARY,
    async fn() {
      using world = makeWorld();
      const word = `3${Math.floor(Math.random() * 1e9)}`;
      for (const [before, kept] of [["", "small\n"], ["seq 1 5000; ", undefined]] as const) {
        const line = `${before}echo small; : > begun; sleep ${word}; echo never`;
        const run = `set -m; fdtool shell -c "$LINE" > out 2> err & until [ -e begun ]; do :; done; ` +
          `kill -${signal.slice(3)} ${prefix}$!; wait $!; echo $?; rm begun; cat out`;
        const ran = await world.shell(`timeout 20 bash -c "$RUN" 2> /dev/null`, {
          env: {
            RUN: run,
            LINE: signal === "SIGTERM"
              ? `trap 'kill %1 2> /dev/null; exit 143' TERM; ${line.replace("; echo never", " & wait")}`
              : line,
          },
        });
        const [code, ...rest] = ran.text.split("\n");
        assertEquals(code, signal === "SIGINT" ? "130" : "143", ran.text);
        if (kept !== undefined) assertEquals(rest.join("\n"), kept);
        else {
          const fd = /fd:\d+/.exec(ran.text)![0];
          const content = await world.run(["read", fd, "--all", "--format", "raw"]);
          const all = Array.from({ length: 5000 }, (_, at) => `${at + 1}\n`).join("");
          assertEquals(content.text, `${all}small\n`);
        }
        while (isRunning(word)) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  });
}

/** Lines whose output is passed on by the launcher, is stored, and has a kept pipe. */
const BEGINNINGS = [":", "seq 1 5000", "seq 1 3000 | tail -1"];

Deno.test({
  name: "shell: a signal to it, or to its group, reaches the shell once",
  ignore: !IS_BINARY || Deno.build.os !== "linux",
  async fn() {
    using world = makeWorld();
    const names = ["INT", "QUIT", "HUP", "TERM", "USR2", "XCPU", "PROF", "SYS", "RTMIN"];
    const line = `for name in ${names.join(" ")}; do trap "echo $name >> log" $name; done
      trap 'exit 7' USR1; : > log; until ((SECONDS > 60)); do :; done`;
    const run = `set -m; fdtool shell -c "$LINE" > out & until [ -e log ]; do :; done; sent=0
      send() { kill -$1 $2; until (($(wc -l < log) > sent)); do :; done; sent=$((sent + 1)); }
      for name in ${names.join(" ")}; do send $name $!; send $name -$!; done
      kill -USR1 $!; wait $!; echo $?; cat log; rm log`;
    for (const beginning of BEGINNINGS) {
      const ran = await world.shell(`timeout 60 bash -c "$RUN"`, {
        env: { RUN: run, LINE: `${beginning}; ${line}` },
      });
      assertEquals(ran.text, `7\n${names.map((name) => `${name}\n${name}\n`).join("")}`, beginning);
    }
  },
});

Deno.test({
  name: "shell: a signal ends it as bash, and not a child that ignores it",
  ignore: !IS_BINARY || Deno.build.os !== "linux",
  async fn() {
    using world = makeWorld();
    const lines = [
      ["INT", ": > ready; until ((SECONDS > 60)); do :; done", "wait $!; echo $?"],
      [
        "TERM",
        "(trap '' TERM; : > ready; until [ -e go ]; do :; done; : > log) | tail -1; echo after",
        "wait $!; echo $?; : > go; until [ -e log ]; do :; done",
      ],
      [
        "RTMIN",
        "trap '' RTMIN; (: > ready; until [ -e go ]; do :; done); echo after; exit 3",
        ": > go; wait $!; echo $?",
      ],
    ];
    for (const beginning of BEGINNINGS) {
      for (const [signal, line, end] of lines) {
        for (const prefix of ["", "-"]) {
          const run = (shell: string) =>
            world.shell(`timeout 60 bash -c "$RUN"`, {
              env: {
                RUN: `set -m; ${shell} -c "$LINE" > all 2>&1 & until [ -e ready ]; do :; done
                  kill -${signal} ${prefix}$!; ${end}; rm -f ready go log`,
                LINE: `${beginning}; ${line}`,
              },
            });
          const wanted = await run("bash");
          assertEquals((await run("fdtool")).text, wanted.text, `${beginning} ${signal} ${prefix}`);
        }
      }
    }
  },
});

Deno.test({
  name: "shell: it runs for a caller that ignores the end of its children",
  ignore: !IS_BINARY || Deno.build.os !== "linux",
  async fn() {
    using world = makeWorld();
    for (const line of ["(exit 3); echo $?; exit 4", "seq 1 3000 | tail -1; (exit 3); echo $?; exit 4"]) {
      const wanted = await world.shell(`env --ignore-signal=CHLD bash -c "$LINE"`, { env: { LINE: line } });
      const ran = await world.shell(`env --ignore-signal=CHLD fdtool shell -c "$LINE"`, {
        env: { LINE: line },
      });
      assertEquals([ran.code, ran.text], [wanted.code, wanted.text], line);
    }
  },
});

Deno.test({
  name: "shell: a line whose reader reads no more gets SIGPIPE, whatever becomes of its output",
  ignore: !IS_BINARY || Deno.build.os !== "linux",
  async fn() {
    using world = makeWorld();
    for (const beginning of BEGINNINGS) {
      for (
        const more of ["while sleep 0.01; do echo x; done", "while :; do echo x; done", "yes", "yes | grep y"]
      ) {
        const ran = await world.shell(
          `{ timeout -s KILL 60 fdtool shell -c "$LINE" 2> err; echo $? > code; } | {
            until [ -e begun ]; do :; done; exec 0<&-; until [ -s code ]; do :; done; }; cat code; rm begun code`,
          { env: { LINE: `${beginning}; : > begun; ${more}` } },
        );
        assertEquals(ran.text, "141\n", `${beginning} ${more}`);
      }
    }
  },
});

Deno.test({
  name: "shell: output that is not stored is passed on by the launcher, without the runtime",
  ignore: !IS_BINARY || Deno.build.os !== "linux",
  async fn() {
    using world = makeWorld();
    for (const line of ["cat /proc/$PPID/status", "cat /proc/$PPID/status | cat"]) {
      const ran = await shell(world, line);
      const kib = Number(/VmHWM:\s*(\d+)/.exec(ran.text)?.[1]);
      assert(kib > 0 && kib < 16_384, ran.text);
    }
  },
});

Deno.test({
  name: "shell: if what stores its output is killed, the command goes on, and the rest of its output arrives",
  ignore: !IS_BINARY || Deno.build.os !== "linux",
  async fn() {
    using world = makeWorld();
    const line = "seq 1 20000; until [ -e killed ]; do :; done; echo after; echo err >&2; exit 9";
    const ran = await world.shell(
      `seq 1 20000 > wanted; fdtool shell -c "$LINE" > out 2> err & launcher=$!
      until fdtool read fd:1 --all --format raw 2> read-err | cmp -s - wanted; do :; done
      for child in $(cat /proc/$launcher/task/$launcher/children); do
        case $(readlink /proc/$child/exe) in *bash) ;; *) kill -KILL $child; while kill -0 $child 2> dead; do :; done ;; esac
      done
      : > killed; wait $launcher; echo $?; cat out err | grep -v ' bytes so far are in '`,
      { env: { LINE: line } },
    );
    const said = "fdtool: output is no longer stored; what was stored before: fdtool ls\n";
    assertEquals(ran.text, `9\nafter\n${said}err\n`);
    assertStringIncludes((await world.run(["stat", "fd:1"])).text, "incomplete");
  },
});

Deno.test("shell: 10,000 commands in a call, a script of 2 MB on stdin, and bytes that are not UTF-8 are as under bash", async () => {
  using world = makeWorld();
  const many = await shell(world, "for i in {1..10000}; do echo $i; done > out; wc -l < out");
  assertEquals([many.code, many.text, many.stderr], [0, "10000\n", ""]);
  writeFileSync(join(world.dir, "script"), `: ${"x".repeat(2_000_000)}\nprintf '\\377 %s\\n' end; exit 5\n`);
  const script = await world.shell(
    `fdtool shell -s < script | od -An -tx1; fdtool shell script > /dev/null; echo $?`,
  );
  assertEquals(script.text, " ff 20 65 6e 64 0a\n5\n");
});
