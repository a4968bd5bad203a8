/**
 * The hook (section 9): a wrapped command behaves as it does unwrapped, in every shell that a harness may use, and what
 * cannot be wrapped safely is left alone.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { arrivesWhole, programUnderTest } from "./world.ts";
import { type Finished, makeWorld, quoteForShell, type RunOptions, type World } from "./world.ts";

/** The command that the hook makes of `command`; undefined where the call is to stand. */
async function rewritten(world: World, command: string, more: object = {}): Promise<string | undefined> {
  const call = {
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    cwd: world.dir,
    ...more,
  };
  const { code, text, stderr } = await world.run(["hook", "claude-code"], { stdin: JSON.stringify(call) });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return text === "" ? undefined : JSON.parse(text).hookSpecificOutput.updatedInput.command;
}

/** The source form is slow to start: one shell and a part of the commands tell there. */
const IS_SLOW = programUnderTest().length > 1;

/** Shells that are here. */
const SHELLS = (IS_SLOW ? ["bash"] : ["bash", "dash", "zsh", "ksh", "busybox"]).filter(
  isThere,
);

function isThere(program: string): boolean {
  return new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" }).outputSync()
    .success;
}

/**
 * Runs `command` as a harness with a lasting shell does, in a fresh copy of the same directory: what the shell is like
 * afterwards is written to a file.
 */
async function inShell(
  world: World,
  shell: string,
  command: string,
  options: RunOptions & { joined?: boolean | undefined } = {},
): Promise<Finished & { state: string; files: string }> {
  const cwd = world.path("there");
  await Deno.remove(cwd, { recursive: true }).catch(() => undefined);
  world.write("there/sub/notes.txt", "one\ntwo\n");
  const stateFile = world.path("state.txt");
  Deno.writeTextFileSync(stateFile, "the shell ended\n");
  const script = `${command}\n__s=$?\nprintf '%s\\n' "$__s" "$PWD" "\${KEPT-none}" "\${__fdtool-}" ` +
    `>${quoteForShell(stateFile)}\nexit "$__s"\n`;
  const words = shell === "busybox" ? "busybox sh" : shell;
  const line = `${words} -c ${quoteForShell(script)}${options.joined === true ? " 2>&1" : ""}`;
  const finished = await world.shell(line, { ...options, cwd });
  const files = [...Deno.readDirSync(cwd)].map(({ name, isFile }) =>
    isFile ? `${name}: ${Deno.readTextFileSync(`${cwd}/${name}`)}` : name
  ).sort().join("\n");
  return { ...finished, state: Deno.readTextFileSync(stateFile), files };
}

/** Commands that wrapping could change, and the shells that know them where not all do. */
const AWKWARD: readonly (readonly [string, string[]?])[] = [
  ["true"],
  ["false"],
  ["echo plain"],
  [`echo 'it'"'"'s' "a \\"b\\" \$HOME" \\$x \`echo tick\``],
  ["printf '%s\\n' $'tab\\tnew\\nline' $'\\x41'", ["bash", "zsh", "ksh"]],
  ["echo no newline at the end | tr -d '\\n'"],
  ["printf ''"],
  ["printf 'a\\0b\\0'"],
  ["printf '\\377\\376 not utf-8\\n'"],
  ["echo 'ünïcödé 漢字 🙂 e\u0301'"],
  ["echo bang! '!!' !x"],
  ["echo back\\\\slash '\\n' \"\\\\\""],
  ["echo one\necho two\n\n\necho three"],
  ["echo comment # at the end"],
  ["# comment first\necho x"],
  ["echo line \\\n  that goes on"],
  ["cat <<EOF\nquotes ' \" \\` \\$x $((1+1)) }\nEOF"],
  ["cat <<'EOF' | tr a-z A-Z\n$not \"expanded\" '}' {\nEOF\necho after"],
  ["cat <<-EOF\n\tindented\n\tEOF"],
  ["cat <<A; cat <<B\nfirst\nA\nsecond\nB"],
  ["cat <<< 'here string'", ["bash", "zsh", "ksh"]],
  ["echo out; echo err >&2"],
  ["echo err >&2; false"],
  ["ls /does/not/exist"],
  ["not_a_command_at_all"],
  ["echo x >/dev/stderr; echo y >/dev/stdout; echo z"],
  ["echo hidden >/dev/null 2>&1"],
  ["echo kept >file; cat file"],
  ['cat sub/notes.txt | while read -r line; do echo "[$line]"; done'],
  ["cd sub"],
  ["cd sub && pwd"],
  ["cd /does/not/exist"],
  ["export KEPT=yes; echo $KEPT"],
  ["KEPT='two words'"],
  ["cd sub; KEPT=$(pwd); cd ..; false"],
  ['greet() { echo "hi $1"; return 4; }; greet you'],
  ["(cd sub; pwd; exit 7)"],
  ["exit 3"],
  ["echo before; exit 0; echo never"],
  ["set -e; echo one; false; echo never"],
  ["set -e; cd sub; { false; } >inner; echo never"],
  ['set -u; echo "$surely_unset_name"; echo never'],
  ["echo ${surely_unset_name:?is not set}"],
  ["set -o pipefail; false | true", ["bash", "zsh", "ksh"]],
  ["false | true"],
  ["true && false || echo or"],
  ["if true; then echo yes; else echo no; fi"],
  ["for i in 1 2 3; do echo $i; done | sort -r"],
  ["case x in x) echo matched;; esac"],
  ["[ -t 1 ] || echo no terminal"],
  ["sleep 0 & wait; echo waited"],
  ["(until [ -e go ]; do :; done; echo late) & echo early; : >go; wait"],
  ["(while kill -0 $$ 2>/dev/null; do sleep 0.01; done; echo later than the shell) &"],
  ["sleep 0 & wait $!; echo $?"],
  ["sh -c 'exit 42'"],
  ["sh -c 'kill -TERM $$'"],
  ["sh -c 'kill -KILL $$' | cat; echo $?"],
  ["kill -TERM $$; sleep 5"],
  ["cat"],
  ['read -r x; echo "got $x"; cat'],
  ["seq 1 100000 | head -1"],
  ["yes | head -3"],
  ["echo $((6 * 7)) ${#PWD} ${KEPT:-unset}"],
  ["f='a b'; set -- $f; echo $#"],
  ["umask 077; umask"],
  ["IFS=:; x=a:b; printf '<%s>' $x; echo"],
  ["PATH=/nowhere; echo still"],
  ["unset HOME; echo ${HOME-gone}"],
  ['printf \'%s %s\' "$0" "$#" | wc -w'],
  ["{ echo grouped; echo err >&2; } 2>&1 | sort"],
  ["eval 'echo \"from eval\"; cd sub'"],
  ["echo a; echo b >&2; echo c; echo d >&2"],
  ["diff sub/notes.txt /dev/null"],
  ["find . -name '*.txt' -exec cat {} +"],
  ["echo $?"],
  ["ls -la /proc/self/fd | wc -l >/dev/null; echo ok"],
  ["printf 'x%.0s' $(seq 1 7990)"],
  ["{ echo inside; exit 6; } 9>lock"],
  ["(echo into the file) >file"],
  ["(flock -n 9 || exit 1; echo locked) 9>lock"],
];

Deno.test("hook: a wrapped command does what it does unwrapped, stream by stream", async () => {
  using world = makeWorld();
  for (const [index, [command, shells = SHELLS]] of AWKWARD.entries()) {
    if (IS_SLOW && index % 6 !== 0) continue;
    const wrapped = await rewritten(world, command);
    assert(wrapped !== undefined, `left alone: ${command}`);
    for (const shell of SHELLS.filter((each) => shells.includes(each))) {
      for (const joined of [false, true]) {
        const options = { joined, stdin: "first line\nsecond line" };
        const plain = await inShell(world, shell, command, options);
        const hooked = await inShell(world, shell, wrapped, options);
        const told = ({ code, text, stdout, stderr, state, files }: typeof plain) => ({
          code,
          text,
          byteLength: stdout.length,
          // A message may name the line of the harness's script; and a group that eval wraps is called so.
          stderr,
          state,
          files,
        });
        assertEquals(told(hooked), told(plain), `${shell}, joined: ${joined}: ${command}`);
      }
    }
  }
  assertEquals((await world.run(["ls", "--format", "raw"])).text, "", "nothing was stored");
});

Deno.test("hook: any words, quoted, arrive as they are", async () => {
  using world = makeWorld();
  const word = fc.string({ unit: "binary", maxLength: 12 }).filter((text) =>
    !/[\0\uD800-\uDFFF]/u.test(text) && arrivesWhole(text)
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 40 }), async (words) => {
      const command = `printf '<%s>\\n' ${words.map(quoteForShell).join(" ")}`;
      const wrapped = await rewritten(world, command);
      if (wrapped === undefined) return;
      const plain = await inShell(world, "bash", command);
      assertEquals((await inShell(world, "bash", wrapped)).stdout, plain.stdout, command);
    }),
    { numRuns: IS_SLOW ? 3 : 25 },
  );
});

Deno.test("hook: large output is kept whole, with its exit code, and a preview is shown", async () => {
  using world = makeWorld();
  const command = "cd sub; for i in 1 2; do seq 1 3000; echo err $i >&2; done; false";
  const wrapped = (await rewritten(world, command))!;
  for (const shell of SHELLS) {
    const plain = await inShell(world, shell, command, { joined: true });
    const hooked = await inShell(world, shell, wrapped, { joined: true });
    assertEquals([hooked.code, hooked.state], [plain.code, plain.state], shell);
    const handle = /^<fd_result fd="(fd:\d+)"/.exec(hooked.text)?.[1];
    assert(handle !== undefined, hooked.text);
    assertEquals((await world.run(["read", handle, "--all", "--format", "raw"])).text, plain.text);
  }
});

Deno.test("hook: where the streams are two, each is kept by itself", async () => {
  using world = makeWorld();
  const wrapped = (await rewritten(world, "seq 1 3000; seq 3001 6000 >&2; exit 5"))!;
  const { code, text, stderr } = await inShell(world, "bash", wrapped);
  assertEquals(code, 5);
  for (const [shown, first] of [[text, 1], [stderr, 3001]] as const) {
    const handle = /^<fd_result fd="(fd:\d+)"/.exec(shown)?.[1];
    assert(handle !== undefined, shown);
    const kept = await world.run(["read", handle, "--all", "--format", "raw"]);
    assertEquals(kept.text, Array.from({ length: 3000 }, (_, index) => `${first + index}\n`).join(""));
  }
});

Deno.test("hook: the mark that ends the output never stands in a command line", async () => {
  using world = makeWorld();
  const command =
    "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; echo; echo end of it; env | grep __fdtool";
  const wrapped = (await rewritten(world, command))!;
  const { code, text } = await inShell(world, "bash", wrapped, { joined: true });
  assertEquals(code, 1);
  assertStringIncludes(text, "\nend of it\n");
});

Deno.test("hook: a command that empties the temporary directory ends as it does unwrapped", async () => {
  using world = makeWorld();
  const temporary = world.path("tmp");
  Deno.mkdirSync(temporary);
  const wrapped = (await rewritten(world, "rm -rf $TMPDIR/*; echo still; false"))!;
  for (const shell of SHELLS) {
    const { code, text, stderr } = await inShell(world, shell, wrapped, { env: { TMPDIR: temporary } });
    assertEquals({ code, text, stderr }, { code: 1, text: "still\n", stderr: "" }, shell);
  }
});

Deno.test("hook: what a signal cuts short is shown as far as it came", async () => {
  using world = makeWorld();
  const wrapped = (await rewritten(world, "echo so far; kill -TERM 0; sleep 30"))!;
  const { text } = await world.shell(`setsid bash -c ${quoteForShell(wrapped)}`);
  assertEquals(text, "so far\n");
});

Deno.test("hook: without fdtool, mkfifo or a place for pipes the command just runs", async () => {
  using world = makeWorld();
  const command = "echo out; echo err >&2; cd sub; seq 1 5000 | tail -1; exit 6";
  const wrapped = (await rewritten(world, command))!;
  const plain = await inShell(world, "bash", command);
  const told = ({ code, text, stderr }: Finished) => ({ code, text, stderr });
  const bin = world.path("bin");
  Deno.mkdirSync(bin);
  for (const name of ["bash", "seq", "tail", "mktemp", "rm", "sh"]) {
    const { stdout } = new Deno.Command("sh", { args: ["-c", `command -v ${name}`] }).outputSync();
    Deno.symlinkSync(new TextDecoder().decode(stdout).trim(), `${bin}/${name}`);
  }
  assertEquals(told(await inShell(world, "bash", wrapped, { env: { PATH: bin } })), told(plain), "no fdtool");
  Deno.writeTextFileSync(`${bin}/fdtool`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  assertEquals(
    told(await inShell(world, "bash", wrapped, { env: { PATH: bin } })),
    told(plain),
    "broken fdtool",
  );
  Deno.removeSync(`${bin}/fdtool`);
  const found = world.env["PATH"]!.split(":")[0]!;
  Deno.symlinkSync(`${found}/fdtool`, `${bin}/fdtool`);
  assertEquals(told(await inShell(world, "bash", wrapped, { env: { PATH: bin } })), told(plain), "no mkfifo");
  const nowhere = { TMPDIR: "/does/not/exist" };
  assertEquals(told(await inShell(world, "bash", wrapped, { env: nowhere })), told(plain), "no place");
});

Deno.test("hook: where nothing can be stored, all output is passed on, and it is said", async () => {
  using world = makeWorld();
  const wrapped = (await rewritten(world, "seq 1 5000; exit 9"))!;
  const file = world.write("no-directory", "");
  const { code, text, stderr } = await inShell(world, "bash", wrapped, {
    env: { FDTOOL_STORE: `${file}/store` },
  });
  assertEquals([code, text], [9, Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`).join("")]);
  assertStringIncludes(stderr, "<fd_error");
});

Deno.test("hook: nothing is left behind", async () => {
  using world = makeWorld();
  const temporary = world.path("tmp");
  Deno.mkdirSync(temporary);
  for (const command of ["seq 1 9000", "exit 2", "set -e; false", "kill -TERM $$; sleep 5", "echo x"]) {
    const wrapped = (await rewritten(world, command))!;
    for (const shell of SHELLS) await inShell(world, shell, wrapped, { env: { TMPDIR: temporary } });
  }
  assertEquals([...Deno.readDirSync(temporary)].map(({ name }) => name), []);
});

Deno.test("hook: what wrapping could change is left alone", async () => {
  using world = makeWorld();
  for (
    const command of [
      "",
      "   \n",
      "# only a comment",
      "echo a \\",
      "echo 'unclosed",
      "if true; then echo x",
      "}; echo out of the group; {",
      "echo x )",
      "cat <<EOF\nwithout an end",
      "exec ls",
      "cd sub && exec 3>file",
      "trap 'echo bye' EXIT",
      "f() { trap - INT; }",
      "set -x; echo traced",
      "set -ex",
      "set -o xtrace",
      "fdtool read fd:1",
      "make 2>&1 | fdtool capture",
      "/usr/local/bin/fdtool ls",
      "printf 'a\0b'",
    ]
  ) assertEquals(await rewritten(world, command), undefined, command);
  const background = { tool_input: { command: "make", run_in_background: true } };
  assertEquals(await rewritten(world, "make", background), undefined, "in the background");
  assertEquals(await rewritten(world, "make", { tool_name: "Read" }), undefined, "another tool");
  // Words that only look like it.
  for (
    const command of [
      "docker exec x ls",
      "find . -exec ls {} +",
      "echo 'trap door'",
      "npm exec tsc",
      "cd /src/fdtool && make",
      "ls fdtool.txt",
    ]
  ) {
    assert(await rewritten(world, command) !== undefined, command);
  }
});

Deno.test("hook claude-code: the rest of the input is handed back, and no permission is decided", async () => {
  using world = makeWorld();
  const input = { command: "make", description: "Build", timeout: 600_000, later: { unknown: true } };
  const call = { tool_name: "Bash", tool_input: input };
  const { text } = await world.run(["hook", "claude-code"], { stdin: JSON.stringify(call) });
  const { hookSpecificOutput } = JSON.parse(text);
  assertEquals(Object.keys(hookSpecificOutput), ["hookEventName", "updatedInput"]);
  assertEquals(hookSpecificOutput.hookEventName, "PreToolUse");
  const { command, ...rest } = hookSpecificOutput.updatedInput;
  assertStringIncludes(command, "{ :; make\n}");
  assertEquals({ ...rest, command: "make" }, input);
});

Deno.test("hook claude-code: a command that a permission rule may speak of is left alone", async () => {
  using world = makeWorld();
  const settings = (permissions: object) =>
    world.write(".claude/settings.json", JSON.stringify({ permissions }));
  const isWrapped = async (command: string, permission_mode?: string) =>
    await rewritten(world, command, permission_mode === undefined ? {} : { permission_mode }) !== undefined;

  settings({ deny: ["Bash(rm -rf:*)", "Read(./.env)"], ask: ["Bash(git push *)"] });
  for (const mode of [undefined, "default", "bypassPermissions"]) {
    assertEquals(await isWrapped("cd build && rm -rf x", mode), false, `deny, ${mode}`);
    assertEquals(await isWrapped("npm test; git push --force", mode), false, `ask, ${mode}`);
    assertEquals(await isWrapped("make", mode), true, `neither, ${mode}`);
  }
  settings({ allow: ["Bash(npm run test:*)"] });
  assertEquals(await isWrapped("npm run test -- --all", "default"), false, "allowed as it is");
  assertEquals(await isWrapped("npm run test -- --all", "bypassPermissions"), true, "nobody is asked");
  assertEquals(await isWrapped("ls -lR / | head -5", "acceptEdits"), false, "read-only runs unasked");
  assertEquals(await isWrapped("ls -lR / | head -5", "bypassPermissions"), true);
  assertEquals(await isWrapped("make", "dontAsk"), false, "would be refused");
  settings({ allow: ["Bash"] });
  assertEquals(await isWrapped("ls -lR /", "default"), true, "all is allowed");
  world.write(".claude/settings.json", "{ broken");
  assertEquals(await isWrapped("make"), false, "rules that cannot be read");
  world.write(".claude/settings.json", '{"a":'.repeat(200_000));
  assertEquals(await isWrapped("make"), false, "rules that are nested too deeply");
  Deno.removeSync(world.path(".claude/settings.json"));
  world.write("../home/.claude/settings.json", JSON.stringify({ permissions: { deny: ["Bash(curl:*)"] } }));
  assertEquals(await isWrapped("curl x"), false, "the user's own rules");
});

Deno.test("hook: what is no call of a hook fails with 1, which lets the command run", async () => {
  using world = makeWorld();
  for (
    const stdin of ["", "no json", "[]", "{}", '{"tool_name":"Bash"}', '{"tool_name":"Bash","tool_input":{}}']
  ) {
    const { code, text, stderr } = await world.run(["hook", "claude-code"], { stdin });
    assertEquals([code, text], [1, ""], stdin);
    assertStringIncludes(stderr, "<fd_error");
  }
});
