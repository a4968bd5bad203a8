/**
 * Completion (contract, Commands), in the real shells that are installed: bash, zsh and fish load the script, a line
 * is typed, and what the shell offers is read back. One table of lines holds for all of them.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { existsSync } from "node:fs";
import { lineOnTerminal, whyNoTerminal } from "./pseudo_terminal.ts";
import { makeWorld, quoteForShell, type World } from "./world.ts";

/** A line that is typed, and the words offered for its last one, as they are without the quotes of a shell. */
type Row = readonly [line: string, offered: readonly string[] | Offer];

/** Some of the words that are offered, and some that must not be. */
interface Offer {
  has: readonly string[];
  not?: readonly string[];
}

const ROWS: readonly Row[] = [
  // Commands, wherever options of every command are.
  ["fdtool re", ["read", "refs", "ref", "rewrite", "recover"]],
  ["fdtool --root . rea", ["read"]],
  ["fdtool ", { has: ["capture", "help"], not: ["supervise", "evaluate"] }],
  ["fdtool help ver", ["verify", "version"]],
  // Options, in all spellings; those that are given are not offered again.
  ["fdtool read --ma", ["--max-chars"]],
  ["fdtool read fd:1 --li", ["--lines"]],
  ["fdtool ls --all --", { has: ["--limit", "--format"], not: ["--all"] }],
  ["fdtool to-file fd:1 f --no-", ["--no-create", "--no-exist-ok", "--no-pager"]],
  ["fdtool refs ", { has: ["--limit"] }],
  // Values of options.
  ["fdtool read --mode ", ["page", "line", "char"]],
  ["fdtool read --mode=", ["--mode=page", "--mode=line", "--mode=char"]],
  ["fdtool read --mode=p", ["--mode=page"]],
  ["fdtool install --via ", ["hook", "mcp", "memory", "shell"]],
  ["fdtool stop fd:1 --signal K", ["KILL"]],
  ["fdtool tools --for ", ["anthropic", "openai", "gemini", "mcp", "jp"]],
  ["fdtool tools --for mcp --only read_fd,se", ["read_fd,search_fd"]],
  ["fdtool prompt --only fds,w", ["fds,writing"]],
  ["fdtool ls --before fd:1", ["fd:1"]],
  ["fdtool refs --after b", ["build"]],
  ["fdtool read --start ", []],
  // Handles: with a colon, of which bash makes words; by number; by name.
  ["fdtool read ", { has: ["ref:build", "fd:3", "fd:1"] }],
  ["fdtool read fd:", { has: ["fd:3", "fd:2", "fd:1"], not: ["ref:build"] }],
  ["fdtool read ref:b", ["ref:build"]],
  ["fdtool read 2", ["2"]],
  ["fdtool read pl", ["plain.txt"]],
  ["fdtool search -i pl", ["plain.txt"]],
  ["fdtool diff fd:3 pl", ["plain.txt"]],
  ["fdtool cat fd:2", ["fd:2"]],
  ["fdtool diff fd:3 fd:1", ["fd:1"]],
  ["fdtool rm fd:3 fd:2", ["fd:2"]],
  ["fdtool read --lines 1-2 fd:1", ["fd:1"]],
  ["fdtool search --all-fds ", []],
  ["fdtool name fd:1 bu", ["build"]],
  ["fdtool --store other read fd:", ["fd:1"]],
  ["fdtool read 'fd:1", ["fd:1"]],
  // Writes, plans, questions.
  ["fdtool undo tx:", ["tx:2", "tx:1"]],
  ["fdtool log tx:1", ["tx:1"]],
  ["fdtool plan s", ["show"]],
  ["fdtool plan show ", ["tx:2"]],
  ["fdtool answer inq:", ["inq:2", "inq:1"]],
  ["fdtool answer inq:1 --answer ", []],
  ["fdtool answer inq:2 --answer ", ["true", "false"]],
  ["fdtool cancel inq:", ["inq:2", "inq:1"]],
  // Harnesses, tools, actions.
  ["fdtool install c", ["claude-code", "codex", "copilot-cli"]],
  ["fdtool hook ", ["claude-code", "opencode", "qwen-code", "pi", "copilot-cli"]],
  ["fdtool call read", ["read_fd"]],
  ["fdtool store ", ["check", "connect", "disconnect", "limits", "list", "show", "stats"]],
  ["fdtool completion ", ["bash", "zsh", "fish"]],
  // Paths, which may have spaces.
  ["fdtool edit pl", ["plain.txt"]],
  ["fdtool edit a\\ f", ["a file.txt"]],
  ["fdtool edit 'a f", ["a file.txt"]],
  ["fdtool plan check pl", ["plain.txt"]],
  ["fdtool create x --content pl", ["plain.txt"]],
  ["fdtool create x --content fd:2", ["fd:2"]],
  ["fdtool run --cwd fo", ["folder"]],
  ["fdtool run --cwd pl", []],
  // The command behind run: programs, then its own words.
  ["fdtool run -- some-pro", ["some-program"]],
  ["fdtool run --tee some-pro", ["some-program"]],
  ["fdtool run -- some-program pl", ["plain.txt"]],
  ["fdtool fork -- some-program --re", []],
];

/** The words of a wrapped command, by its own completion. */
const DELEGATED_ROW: Row = ["fdtool run -- fdtool read fd:2", ["fd:2"]];

/** Without this package, bash knows no completion of other commands. */
const BASH_COMPLETION = "/usr/share/bash-completion/bash_completion";

/** Fds, a name, writes, questions, files and a program, as the rows name them. */
async function completionWorld(): Promise<World> {
  const world = makeWorld();
  world.write("../bin/some-program", "#!/bin/sh\n");
  Deno.chmodSync(world.path("../bin/some-program"), 0o755);
  for (const name of ["plain.txt", "a file.txt", "folder/inner"]) world.write(name, "one\ntwo\nthree\n");
  world.write(
    "plan.json",
    '{"intent":"Say four","target_file":"plain.txt","operations":[{"type":"append","content_block":"four\\n"}]}',
  );
  const lines = [
    "seq 9 | fdtool capture --always",
    "fdtool run --always --name build -- sh -c 'seq 5; exit 3'",
    "seq 7 | fdtool capture --always",
    "seq 3 | fdtool capture --always --store other",
    "fdtool edit plain.txt --old two --new 2",
    "fdtool plan apply plan.json",
    "fdtool create new.txt",
    "seq 90 >many; fdtool edit many --old-file many --new x",
    "rm plan.json",
  ];
  for (const line of lines) {
    const { code, stderr } = await world.shell(line);
    assert([0, 3].includes(code), `${line}\n${stderr}`);
  }
  return world;
}

function isInstalled(shell: string): boolean {
  return new Deno.Command("sh", { args: ["-c", `command -v ${shell}`], stdout: "null" }).outputSync().success;
}

interface Typist extends AsyncDisposable {
  /** The words that the shell offers for the last word of the line, or the line itself if it offers none. */
  offered(line: string): Promise<string[]>;
  /** Asks for the list of fits, and waits until it shows this. */
  lists(line: string, shown: string): Promise<void>;
}

/** bash and zsh insert all fits into the line, which a key then writes to a file. */
const SETUPS: Readonly<Record<string, readonly string[]>> = {
  bash: [
    "PS1='> '; bind 'set enable-bracketed-paste off'",
    `_dump() { printf '%s\\n' "$READLINE_LINE" >~/dumped; echo "dumped"; }; bind -x '"\\C-g": _dump'`,
    `bind '"\\C-o": insert-completions'`,
  ],
  zsh: [
    "PS1='> '; autoload -U compinit; compinit -u -D; (( $+script )) && source <(fdtool completion zsh)",
    `_all() { _main_complete; compstate[insert]=all; compstate[list]= }; zle -C all complete-word _all`,
    `_dump() { print -r -- "$BUFFER" >~/dumped; print dumped }; zle -N _dump`,
    "bindkey '^O' all '^G' _dump '^U' kill-whole-line; unsetopt beep",
  ],
};

/** Starts a shell on a terminal, with these lines typed before the setup that reads its fits back. */
async function typistAt(shell: "bash" | "zsh", world: World, first: readonly string[]): Promise<Typist> {
  const start = shell === "bash" ? "bash --norc --noprofile -i" : "zsh -f -i";
  const session = lineOnTerminal(world, start);
  for (const line of [...first, ...SETUPS[shell]!]) await session.type(line);
  await session.type("echo rea''dy");
  await session.shows("\nready");
  return {
    async offered(line) {
      await session.press(`${line}\x0f\x07`);
      await session.shows("dumped");
      await session.press("\x15");
      const dumped = Deno.readTextFileSync(`${world.home}/dumped`).replace(/\n$/, "");
      const start = line.replace(/(?:\\.|'[^']*'?|[^ '])*$/, "");
      assert(dumped.startsWith(start), dumped);
      if (dumped === line) return [];
      const [first, ...more] = wordsOf(dumped.slice(start.length));
      // Bash has replaced what is behind the last ":" or "=", and puts the others behind that.
      const kept = shell === "bash" ? /^[^'\\]*[:=]|/.exec(line.slice(start.length))![0] : "";
      return [first!, ...more.map((word) => kept + word)];
    },
    async lists(line, shown) {
      await session.press(`${line}\t\t`);
      await session.shows(shown);
      await session.press("\x15");
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
    },
  };
}

/** The words of a line of sh. */
function wordsOf(line: string): string[] {
  return (line.match(/(?:\\.|'[^']*'?|[^\s'])+/g) ?? []).map((word) =>
    word.replaceAll(/\\(.)|'([^']*)'?/g, (_, escaped, quoted) => escaped ?? quoted)
  );
}

function check([line, expected]: Row, offered: readonly string[]): void {
  if ("has" in expected) {
    for (const word of expected.has) assert(offered.includes(word), `${line}: ${word} not among ${offered}`);
    for (const word of expected.not ?? []) assert(!offered.includes(word), `${line}: ${word}`);
    // Inserting all fits, bash leaves out the slash behind a directory.
  } else assertEquals(offered.map((word) => word.replace(/\/$/, "")).sort(), [...expected].sort(), line);
}

/** The ways to load the script, and the lines that do. */
const LOADED: readonly { how: string; shell: "bash" | "zsh"; first: readonly string[] }[] = [
  { how: "bash", shell: "bash", first: ['eval "$(fdtool completion bash)"'] },
  {
    how: "bash with bash-completion",
    shell: "bash",
    first: [`source ${BASH_COMPLETION}`, 'eval "$(fdtool completion bash)"'],
  },
  { how: "zsh", shell: "zsh", first: ["script=1"] },
];

/** The same for scripts in the files that help names. */
const PLACED: typeof LOADED = [
  { how: "bash with bash-completion", shell: "bash", first: [`source ${BASH_COMPLETION}`] },
  { how: "zsh", shell: "zsh", first: ["fpath=(~/.zfunc $fpath)"] },
];

function cannotRun({ how, shell }: typeof LOADED[number]): boolean {
  return !isInstalled(shell) || whyNoTerminal() !== undefined ||
    how.includes("bash-completion") && !existsSync(BASH_COMPLETION);
}

for (const loaded of LOADED) {
  Deno.test({
    name: `completion: ${loaded.how} offers what fits, on a terminal`,
    ignore: cannotRun(loaded),
    async fn() {
      using world = await completionWorld();
      await using typist = await typistAt(loaded.shell, world, loaded.first);
      const rows = loaded.how === "bash" ? ROWS : [...ROWS, DELEGATED_ROW];
      for (const row of rows) check(row, await typist.offered(row[0]));
      if (loaded.shell === "zsh") {
        await typist.lists("fdtool read fd:", "-- sh -c 'seq 5; exit 3', 5 lines, exit 3");
      }
    },
  });
}

/** Runs what `help completion` says for new shells. */
async function placeScripts(world: World): Promise<void> {
  const { text } = await world.run(["help", "completion"]);
  const lines = /\n( {2}# bash [^]*?)\n\n/.exec(text)![1]!;
  const { code, stderr } = await world.shell(lines);
  assertEquals([code, stderr], [0, ""]);
}

for (const placed of PLACED) {
  Deno.test({
    name: `completion: ${placed.how} finds the script where help says to put it`,
    ignore: cannotRun(placed),
    async fn() {
      using world = await completionWorld();
      await placeScripts(world);
      await using typist = await typistAt(placed.shell, world, placed.first);
      for (let time = 0; time < 2; time++) {
        assertEquals(await typist.offered("fdtool read fd:2"), ["fd:2"]);
      }
    },
  });
}

Deno.test({
  name: "completion: fish finds the script where help says to put it",
  ignore: !isInstalled("fish"),
  async fn() {
    using world = await completionWorld();
    await placeScripts(world);
    const { text } = await world.shell(`fish -c 'complete -C "fdtool read fd:2"'`);
    assertMatch(text, /^fd:2\tsh -c 'seq 5; exit 3', 5 lines, exit 3, /);
  },
});

Deno.test({
  name: "completion: fish offers what fits, with remarks",
  ignore: !isInstalled("fish"),
  async fn() {
    using world = await completionWorld();
    const rows = [...ROWS, DELEGATED_ROW];
    world.write("lines", rows.map(([line]) => `${line}\n`).join(""));
    const script =
      'fdtool completion fish | source; for line in (cat lines); echo "= $line"; complete -C $line; end';
    const { text, stderr } = await world.shell(`exec fish --no-config -c ${quoteForShell(script)}`);
    assertEquals(stderr, "");
    const answers = text.split(/^= .*\n/m).slice(1);
    assertEquals(answers.length, rows.length);
    for (const [at, row] of rows.entries()) {
      const lines = answers[at]!.split("\n").filter((line) => line !== "");
      check(row, lines.map((line) => line.split("\t")[0]!));
    }
  },
});

Deno.test("completion: a fit has a remark that says what it is, without control characters", async () => {
  using world = await completionWorld();
  await world.shell(
    "fdtool run --always -- sh -c 'printf %s \"$1\" | wc -c' sh \"$(printf 'a\\033[31m\\tb')\"",
  );
  const remarks = async (...words: string[]) => {
    const { text } = await world.run(["completion", "words-fish", "--", ...words]);
    return new Map(text.trimEnd().split("\n").slice(1).map((line) => line.split("\t") as [string, string]));
  };
  const fds = await remarks("read", "");
  assertMatch(fds.get("fd:2")!, /^sh -c 'seq 5; exit 3', 5 lines, exit 3, just now$/);
  assertMatch(fds.get("ref:build")!, /^fd:2 sh -c 'seq 5/);
  assertMatch((await remarks("plan", "show", "")).get("tx:2")!, /^write_plan, Say four, /);
  assertMatch((await remarks("answer", "")).get("inq:1")!, /^create_file, .*new\.txt/);
  assertMatch((await remarks("re")).get("read")!, /^print a slice/);
  assertMatch((await remarks("install", "--via", "")).get("mcp")!, /^serve fdtool's tools/);
  assert(![...fds.values()].some((remark) => remark.includes("\x1b")), [...fds.values()].join("\n"));
});

Deno.test("completion: without a store or HOME, or with a damaged one, nothing is said and nothing is written", async () => {
  using world = await completionWorld();
  for (const name of ["refs/x", "fds/0000/1.rec", "inquiries/0000/1.rec"]) {
    world.write(`damaged/v2/${name}`, "?");
  }
  // Opening a store closes it to others.
  await world.shell("chmod -R go= damaged; echo '?' >damaged/v2/inquiries/next");
  const calls = [["read", ""], ["undo", ""], ["answer", ""], ["--store", ""], ["read", "--name", ""], [""], [
    "stop",
    "",
  ]];
  const surroundings: Record<string, string | undefined>[] = [
    {},
    { FDTOOL_STORE: world.path("none") },
    { FDTOOL_STORE: world.path("damaged") },
    { FDTOOL_STORE: world.path("plain.txt") },
    { FDTOOL_STORE: undefined, HOME: undefined, TMPDIR: world.path("none") },
    { FDTOOL_STORE: "s3://bucket/prefix?endpoint=http://127.0.0.1:1" },
    { FDTOOL_FORMAT: "loud", FDTOOL_QUOTA: "lots" },
  ];
  const files = async () => (await world.shell(`find .. -printf '%p %s %C@\\n' | sort`)).text;
  const before = await files();
  for (const [row, env] of surroundings.entries()) {
    for (const [column, words] of calls.entries()) {
      const shell = ["bash", "zsh", "fish"][(row + column) % 3];
      const { code, text, stderr } = await world.run(["completion", `words-${shell}`, "--", ...words], {
        env,
      });
      const told = env["FDTOOL_FORMAT"] === undefined ? stderr : "";
      assertEquals([code, told, text[0]], [0, "", ":"], JSON.stringify([env, words]));
    }
  }
  assertEquals(await files(), before);
});
