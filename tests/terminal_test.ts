/**
 * A raw control byte never reaches a terminal from any answer: captured text, names, paths and
 * commands that hold an OSC title or `ESC[2J` are shown visibly, whatever the command and the format. Pipes get the bytes
 * that they got before.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { bytesShown, onTerminal, whyNoTerminal } from "./pseudo_terminal.ts";
import { makeWorld, quoteForShell, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();

function terminalTest(name: string, test: () => Promise<void>): void {
  Deno.test({
    name: WHY_NOT === undefined ? `terminal: ${name}` : `terminal: ${name} (skipped: ${WHY_NOT})`,
    ignore: WHY_NOT !== undefined,
    fn: test,
  });
}

/** Sets a title, clears the screen, rings, turns red by an 8-bit CSI, deletes, goes back, turns the order of text. */
const STEERING = "\u202e\u2067\x1b]0;owned\x07\x1b[2J\u009b31m\x7f\b\r\x1bP1\x1b\\\u009d0;too\u009c";
/** The same for a name: what runs from right to left, and ends lines, too. */
const NAME = `n\u202e${STEERING}\u2028\u2066.txt`;
const encoder = new TextEncoder();

/** Every kind of line that steers, and a byte that is an 8-bit CSI where it is taken for one. */
function steeringContent(): Uint8Array {
  const start = encoder.encode(`plain line\n${STEERING} first\ttab\nüñ漢字🙂 \u061bهلا\n`);
  return new Uint8Array([...start, 0x9b, 0x33, 0x31, 0x6d, 0xe2, 0x9b, 0xe0, 0x80, 0x9b, 0x0a]);
}

/** The progress line, which a slow machine may show of any capture. */
const PROGRESS = /(?:\r[\d,]+ lines, [0-9.]+ [KMGT]?i?B, [0-9.]+ [KMGT]?i?B\/s *)+\r +\r/g;

/** Finds a control in `bytes`, as hex with the bytes before it; undefined if it has none. */
function steeringIn(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replace(PROGRESS, "");
  // deno-lint-ignore no-control-regex
  const found = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.exec(text);
  if (found !== null) return JSON.stringify(text.slice(Math.max(0, found.index - 300), found.index + 20));
  // A byte that is part of no char.
  const at = bytes.findIndex((byte, index) => byte >= 0x80 && byte < 0xa0 && !isWithinChar(bytes, index));
  return at === -1
    ? undefined
    : JSON.stringify(new TextDecoder().decode(bytes.slice(Math.max(0, at - 300), at + 5)));
}

function isWithinChar(bytes: Uint8Array, at: number): boolean {
  for (let start = at - 1; start >= Math.max(0, at - 3); start--) {
    for (let end = at + 1; end <= start + 4; end++) {
      try {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.slice(start, end));
        if ([...text].length === 1) return true;
      } catch {
        // Not this one.
      }
    }
  }
  return false;
}

/** A world with steering content, commands, names of files, steps and questions. */
async function steeringWorld(): Promise<World> {
  const world = makeWorld();
  const content = steeringContent();
  const other = [...content, ...content];
  world.write("content", content);
  world.write("other", new Uint8Array(other));
  world.write(NAME, content);
  const fed = async (...args: string[]) => {
    const { code, stderr } = await world.run(args, { stdin: content });
    assert(code === 0 || code === 3, stderr);
  };
  await fed("capture", "--always", "--name", "one", "--source", `s${STEERING}`);
  await world.run(["run", "--always", "--", "sh", "-c", "cat other", STEERING]);
  await fed("to-file", "fd:1", NAME, "--mode", "append");
  await fed("create", NAME);
  return world;
}

const QUOTED = quoteForShell(NAME);
const BAD = quoteForShell(`bad${STEERING}`);

/** Every command that can show text of other authors. */
const LINES: readonly string[] = [
  "fdtool capture --always <content",
  "fdtool capture --always --preview both --threshold 1 <content",
  `fdtool capture --always --name ${BAD} <content`,
  `fdtool run --threshold 1 -- cat content ${QUOTED}`,
  `fdtool run --threshold 1 --split -- sh -c 'cat content; cat other >&2' ${BAD}`,
  `fdtool run -- ${BAD}`,
  `fdtool run --cwd ${BAD} -- true`,
  "fdtool run --tee --threshold 1 -- cat content >/dev/null",
  "fdtool read fd:1",
  "fdtool read fd:1 --lines 1-9 --number",
  "fdtool read fd:1 --chars 0-60",
  "fdtool read fd:1 --all",
  "fdtool read fd:1 --all --exact",
  "fdtool read fd:1 --max-chars 20",
  "fdtool read fd:1 --extract",
  `fdtool read ${BAD}`,
  `fdtool read ref:${BAD}`,
  `fdtool read fd:1 --mode ${BAD}`,
  "fdtool search fd:1 first",
  "fdtool search fd:1 31m -C 2",
  `fdtool search fd:1 ${quoteForShell(`(${STEERING}`)}`,
  `fdtool search fd:1 ${quoteForShell(STEERING)} --fixed`,
  "fdtool diff fd:1 fd:2",
  "fdtool diff fd:1 fd:2 --max-chars 10",
  "fdtool ls",
  "fdtool stat fd:1",
  "fdtool stat fd:2",
  "fdtool refs",
  "fdtool path fd:1",
  `fdtool --store ${BAD} ls`,
  `fdtool --store ${BAD} read fd:1`,
  `fdtool name fd:1 ${BAD}`,
  "fdtool log",
  "fdtool log tx:1",
  "fdtool inquiries",
  `fdtool create ${QUOTED}`,
  "fdtool create new --inquiry-schema",
  `fdtool create ${BAD}/${BAD} --inquiry-schema`,
  `fdtool count ${BAD}`,
  `fdtool count ${QUOTED}`,
  `fdtool to-file fd:1 ${BAD} --dry-run`,
  `fdtool to-file fd:1 ${BAD}`,
  `fdtool to-file fd:1 ${BAD} --no-exist-ok`,
  `fdtool edit ${QUOTED} --old 'plain line' --new ${quoteForShell(`\x1b]0;owned\x07`)} --dry-run`,
  `fdtool edit ${QUOTED} --old ${BAD} --new x`,
  `fdtool edit ${QUOTED} --old 'first' --new x`,
  `fdtool edit ${QUOTED} --old 'plain lime' --new x`,
  `fdtool rewrite ${QUOTED} --expected-line-count 1 --acknowledgement ${BAD} <content`,
  `printf '{"intent":"owned\\u001b]0;x\\u0007","target_file":"content","operations":[{"type":"append","content_block":"x"}]}' >plan`,
  "fdtool plan check plan",
  "fdtool plan apply plan",
  "fdtool plan show tx:2",
  `fdtool plan check ${QUOTED}`,
  "fdtool undo --dry-run",
  "fdtool undo",
  `fdtool answer inq:1 --content-from ${BAD}`,
  `fdtool ${BAD}`,
  `fdtool help ${BAD}`,
  `fdtool ls --${BAD}`,
  `fdtool tools --for ${BAD}`,
  `fdtool install ${BAD}`,
  `echo '{"fd":"fd:1","mode":"line","start":1,"count":9}' | fdtool call read_fd`,
  `echo '{"fd":"fd:1","pattern":"first"}' | fdtool call search_fd`,
  `fdtool call ${BAD} </dev/null`,
  `fdtool call read_fd <content`,
  `fdtool serve-jp "{\\"root\\":\\"$PWD\\"}" '{"name":"read_fd","arguments":{"fd":"fd:1"}}'`,
  `fdtool export fd:1 --output ${BAD}.tar`,
  `fdtool export fd:1 --output ${BAD}.tar`,
  `fdtool import content`,
  "fdtool rm fd:2",
  "fdtool stat fd:2",
  "fdtool read fd:2",
  "fdtool ls --removed",
  "fdtool verify",
  "fdtool gc",
  "FDTOOL_FORMAT=$(printf '\\033[2J') fdtool ls",
  "fdtool wait fd:1",
  "fdtool stop fd:1",
  `fdtool recover`,
];

/** The same for what a line showed. `run` shows a person its output as it comes, with moves inside the row. */
function steeringOf(line: string, bytes: Uint8Array): string | undefined {
  const isLive = line.startsWith("fdtool run ");
  return steeringIn(isLive ? bytes.filter((byte) => byte !== 0x08 && byte !== 0x0d) : bytes);
}

/** Runs all lines on one terminal, and returns the output of each. */
async function shownByEach(
  world: World,
  change: (line: string) => string,
  env: Readonly<Record<string, string>> = {},
): Promise<[string, Uint8Array][]> {
  const script = LINES.map((line, at) => `${change(line)}\necho "--- $? ${at} ---"`).join("\n");
  world.write("steps.sh", script);
  const bytes = await bytesShown(world, "sh steps.sh", env);
  const shown: [string, Uint8Array][] = [];
  let from = 0;
  for (const [at, line] of LINES.entries()) {
    const text = new TextDecoder("latin1").decode(bytes.subarray(from));
    const end = new RegExp(`--- \\d+ ${at} ---\n`).exec(text);
    assert(end !== null, `no end of ${line} in ${text.slice(0, 2000)}`);
    shown.push([line, bytes.subarray(from, from + end.index)]);
    from += end.index + end[0].length;
  }
  return shown;
}

for (
  const [what, format, env] of [
    ["as text", "", {}],
    ["as text in few columns", "", { COLUMNS: "30" }],
    ["as tags", " --format xml", { FDTOOL_FORMAT: "xml" }],
    ["as JSON", " --format json", { FDTOOL_FORMAT: "json" }],
    ["as raw that the environment asks for", "", { FDTOOL_FORMAT: "raw" }],
  ] as const
) {
  terminalTest(`no command lets captured text, a name or a command steer it, ${what}`, async () => {
    using world = await steeringWorld();
    const shown = await shownByEach(
      world,
      (line) => line.replace(/fdtool (?!run|capture)/, `fdtool${format} `),
      env,
    );
    const steering = shown.flatMap(([line, bytes]) => {
      const found = steeringOf(line, bytes);
      return found === undefined ? [] : [`${JSON.stringify(line)} showed ${found}`];
    });
    assertEquals(steering, []);
    // The text is there, as text.
    const all = shown.map(([, bytes]) => new TextDecoder().decode(bytes)).join("");
    assertStringIncludes(all, format.endsWith("json") ? "\\u001b]0;owned\\u0007" : "\\x1b]0;owned\\x07");
    assertStringIncludes(all, "üñ漢字🙂 \u061bهلا");
  });
}

terminalTest("no answer in raw but content that was asked for in raw steers it", async () => {
  using world = await steeringWorld();
  const shown = await shownByEach(
    world,
    (line) => line.replace(/fdtool (?!run|capture)/, "fdtool --format raw "),
  );
  const content =
    /read fd:1 --(?!extract)|read fd:1$|search fd:1|diff fd:|log tx:|--dry-run|call (?:read|search)_fd/;
  const steering = shown.flatMap(([line, bytes]) =>
    content.test(line) || steeringOf(line, bytes) === undefined ? [] : [`${line} showed ${steeringIn(bytes)}`]
  );
  assertEquals(steering, []);
});

terminalTest("raw that is asked for is exact", async () => {
  using world = await steeringWorld();
  assertEquals(
    await bytesShown(world, "stty -opost; fdtool read fd:1 --all --format raw"),
    steeringContent(),
  );
});

terminalTest("small output passes through as it is, and so does what is teed", async () => {
  using world = await steeringWorld();
  for (const line of ["FDTOOL_FORMAT=xml fdtool run -- cat content", "fdtool capture <content"]) {
    assertEquals(await bytesShown(world, `stty -opost; ${line}`), steeringContent(), line);
  }
});

terminalTest("colours are fdtool's own, and no captured text has any", async () => {
  using world = await steeringWorld();
  const colored = new TextDecoder().decode(
    await bytesShown(world, "fdtool read fd:1 --all --format xml", { TERM: "xterm" }),
  );
  assert(colored.startsWith("\x1b[2m<fd_content"), JSON.stringify(colored.slice(0, 80)));
  // deno-lint-ignore no-control-regex
  assertEquals(steeringIn(encoder.encode(colored.replace(/\x1b\[(2|22)m/g, ""))), undefined);
  assertEquals(colored.split("\x1b[").length - 1, 4, "two tags, each begun and ended");
  const failed = await bytesShown(world, `fdtool read ref:${BAD} --color always`);
  // deno-lint-ignore no-control-regex
  const plain = new TextDecoder().decode(failed).replace(/\x1b\[(2|22|31|36|39)m/g, "");
  assertEquals(steeringIn(encoder.encode(plain)), undefined);
});

terminalTest("usage errors follow --color, and a wrapped command's own --color does not count", async () => {
  using world = makeWorld();
  const shown = async (line: string) =>
    new TextDecoder().decode(await bytesShown(world, line, { TERM: "xterm" }));
  for (
    const line of ["fdtool --color never nosuch", "fdtool nosuch --colour=never", "fdtool --color never read"]
  ) {
    const plain = await shown(line);
    assertStringIncludes(plain, "next: fdtool help");
    assert(!plain.includes("\x1b"), JSON.stringify(plain));
  }
  assertStringIncludes(await shown("fdtool nosuch"), "\x1b[");
  assertStringIncludes(await shown("fdtool run --timeout x ls --color never"), "\x1b[");
});

terminalTest("stdout and stderr are looked at each for itself", async () => {
  using world = await steeringWorld();
  const failed = await bytesShown(world, `fdtool read ref:${BAD} --format json | cat >out; cat out`);
  assertEquals(steeringIn(failed), undefined);
  await bytesShown(world, "fdtool read fd:1 --all --exact >out");
  const piped = await world.run(["read", "fd:1", "--all", "--exact"]);
  assertEquals(world.bytes("out"), piped.stdout);
  assertStringIncludes(piped.text, STEERING, "a pipe gets what it got");
});

terminalTest("a question to the person shows names visibly", async () => {
  using world = makeWorld();
  world.write(NAME, "same\n".repeat(10));
  await using session = onTerminal(world, [
    ...["edit", NAME, "--old", "same", "--new", "other", "--replace-all", "--ask"],
  ]);
  await session.shows("[y/n, empty cancels] ");
  await session.type("");
  const { shown } = await session.end();
  assertStringIncludes(shown, "n\\u202e\\u202e\\u2067\\x1b]0;owned");
  assertEquals(steeringIn(encoder.encode(shown)), undefined);
});

Deno.test("terminal: fdtool's own text has no control char in a pipe either", async () => {
  using world = await steeringWorld();
  for (const format of ["xml", "raw"]) {
    for (
      const line of [
        `fdtool read ref:${BAD}`,
        "fdtool ls",
        "fdtool stat fd:2",
        "fdtool log",
        "fdtool inquiries",
        `fdtool create ${QUOTED}`,
        `fdtool edit ${QUOTED} --old ${BAD} --new x`,
        `fdtool search fd:2 ${quoteForShell(`(${STEERING}`)}`,
        `fdtool ${BAD}`,
      ]
    ) {
      const { stdout, stderr } = await world.shell(`${line} --format ${format}`);
      assertEquals(steeringIn(stdout), undefined, `${line} ${format}`);
      assertEquals(steeringIn(encoder.encode(stderr)), undefined, `${line} ${format}`);
      assert(!/[\u202e\u2066\u2028]/.test(new TextDecoder().decode(stdout) + stderr), `${line} ${format}`);
    }
  }
});

/** A command that writes some lines, slowly enough for a progress line. */
const SLOW = 'for i in 1 2 3 4 5; do seq -f "line %g of part $i" 500; sleep 0.15; done';

for (
  const [what, line] of [["run", `fdtool run --tee -- sh -c '${SLOW}'`], [
    "capture",
    `(${SLOW}) | fdtool capture --tee`,
  ]]
) {
  terminalTest(`${what} --tee shows the output once, without a progress line in it`, async () => {
    using world = makeWorld();
    const xml = { FDTOOL_FORMAT: "xml" };
    const shown = new TextDecoder().decode(await bytesShown(world, line!, xml));
    assert(!shown.includes("\x1b"), JSON.stringify(shown.slice(0, 200)));
    assertEquals(shown.split("\n").filter((each) => each === "line 1 of part 1").length, 1);
    const summary = shown.slice(shown.indexOf("<fd_result"));
    assertStringIncludes(summary, 'fd="fd:1"');
    assertStringIncludes(summary, "<next>fdtool read fd:1");
    assert(!summary.includes("line "), summary);
    const asked = new TextDecoder().decode(
      await bytesShown(world, line!.replace("--tee", "--tee --preview tail"), xml),
    );
    assertStringIncludes(asked.slice(asked.indexOf("<fd_result")), "line 500 of part 5");
  });
}

terminalTest("output that could not be stored is shown without a progress line in it", async () => {
  using world = makeWorld();
  world.write("../store", "no directory");
  const shown = new TextDecoder().decode(await bytesShown(world, `fdtool run -- sh -c '${SLOW}'`));
  const output = shown.slice(0, shown.indexOf("fdtool: "));
  assertStringIncludes(output, "line 500 of part 5");
  // What came before is held: a progress line may have been shown by then, and is taken away.
  // deno-lint-ignore no-control-regex
  assert(!/\x1b/.test(output.slice(output.indexOf("line 1 "))), JSON.stringify(output.slice(0, 200)));
});
