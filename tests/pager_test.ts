/**
 * Long answers go through the pager of a person at a terminal, and through none for programs; a pager that is missing,
 * leaves early or is interrupted harms nothing.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { bytesShown, lineOnTerminal, whyNoTerminal } from "./pseudo_terminal.ts";
import { makeWorld, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();

function pagerTest(name: string, test: () => Promise<void>): void {
  Deno.test({
    name: WHY_NOT === undefined ? `pager: ${name}` : `pager: ${name} (skipped: ${WHY_NOT})`,
    ignore: WHY_NOT !== undefined,
    fn: test,
  });
}

const SIZE = "stty cols 80 rows 24";

/** A world with an fd of 5,000 lines, one that differs in most of them, and one of a line. */
async function longWorld(): Promise<World> {
  const world = makeWorld();
  await world.shell("seq 5000 | fdtool capture --always; seq 5000 | tr 1-5 5-9 | fdtool capture --always");
  await world.shell("echo short | fdtool capture --always");
  return world;
}

const NOTING: Readonly<Record<string, string>> = { FDTOOL_PAGER: "cat >paged", NO_COLOR: "1" };

/** The output of a line on the terminal, and the pager's input; undefined if none was started. */
async function shownBy(
  world: World,
  line: string,
  env: Readonly<Record<string, string>> = NOTING,
): Promise<{ shown: string; paged: string | undefined }> {
  if (existsSync(world.path("paged"))) Deno.removeSync(world.path("paged"));
  const shown = new TextDecoder().decode(await bytesShown(world, `${SIZE}; ${line}`, env));
  return { shown, paged: existsSync(world.path("paged")) ? world.text("paged") : undefined };
}

pagerTest("a read, a diff and a search that are longer than the screen go through it whole", async () => {
  using world = await longWorld();
  const read = await shownBy(world, "fdtool read fd:1 --all; echo code $?");
  assertEquals(read.shown, "code 0\n");
  assertStringIncludes(String(read.paged), "\n5000\n");
  const diff = await shownBy(world, "fdtool diff fd:1 fd:2 --max-chars 4000; echo code $?");
  assertEquals(diff.shown, "code 1\n", "they differ");
  assertStringIncludes(String(diff.paged), "@@");
  const search = await shownBy(world, "fdtool search fd:1 7; echo code $?");
  assertEquals(search.shown, "code 0\n");
  assertStringIncludes(String(search.paged), "7:7\n");
  // All of them: 1,355 of 1 to 5,000 have a 7.
  assertEquals([...String(search.paged).matchAll(/^\d+:\d*7/gm)].length, 1355);
});

pagerTest("less is told what a search looked for, so that n and N find the next", async () => {
  using world = await longWorld();
  const noting = { ...NOTING, FDTOOL_PAGER: 'echo "$LESS" >paged' };
  const cases: [search: string, options: string][] = [
    ["77", "+/77"],
    ["'7[0-5]|8 8'", "+/7[0-5]|8 8"],
    ["'(7|8)\\d+'", "+/(7|8)[0-9]+"],
    ["'7[.]?|\\.'", "+/7[.]?|[.]"],
    ["-i 7", "-I +/7"],
    ["-e 77 -e 88", "+/77|88"],
    ["-F 7 -C 1", "+/7"],
    ["-F -e 7 -e a.b", "+/7|a[.]b"],
    ["'[!]?7'", "+/[!]?7"],
    ["-F -e '!' -e 7", "+/[!]|7"],
    // What less would read as something else, or not find, is not handed over.
    ["'7.$'", ""],
    ["'^7'", ""],
    ["'7\\b'", ""],
    ["'(?:7)'", ""],
    ["-v 77", ""],
  ];
  for (const [search, options] of cases) {
    const { paged } = await shownBy(world, `fdtool search fd:1 ${search}`, noting);
    assertEquals(String(paged).trimEnd(), `FRX ${options}`.trimEnd(), search);
  }
});

pagerTest(
  "a read without a slice goes through it whole; less opens a failed command at the line that matters",
  async () => {
    using world = await longWorld();
    await world.shell(
      "fdtool run -- sh -c 'seq 4000; echo error: cannot find symbol; seq 900; exit 1' >run.out",
    );
    const noting = { ...NOTING, FDTOOL_PAGER: 'cat >paged; echo "$LESS" >>paged' };
    const [whole, failed] = [
      await shownBy(world, "fdtool read fd:1", noting),
      await shownBy(world, "fdtool read fd:4", noting),
    ];
    assertStringIncludes(String(whole.paged), "\n5000\nFRX\n");
    // The heading is line 1.
    assertStringIncludes(String(failed.paged), "\n900\nFRX +3996g\n");
  },
);

pagerTest("a short answer needs none", async () => {
  using world = await longWorld();
  for (const line of ["fdtool read fd:3", "fdtool read fd:1 --lines 1-20", "fdtool search fd:3 short"]) {
    const { shown, paged } = await shownBy(world, line);
    assertEquals(paged, undefined, line);
    assertStringIncludes(shown, "fd:");
  }
  const { paged } = await shownBy(world, `fdtool read fd:1 --lines 1-22; echo`);
  assert(paged !== undefined, "22 lines and two of fdtool's own");
});

pagerTest("lines that wrap count as several rows", async () => {
  using world = makeWorld();
  world.write("wide", `${"漢".repeat(1000)}\n`);
  await world.shell("fdtool capture --always <wide");
  assert((await shownBy(world, "fdtool read fd:1")).paged !== undefined);
});

pagerTest("no other format, no pipe, no file and no stream goes through it", async () => {
  using world = await longWorld();
  for (
    const line of [
      "fdtool read fd:1 --all --no-pager",
      "fdtool --no-pager read fd:1 --all",
      "fdtool read fd:1 --all --format xml",
      "fdtool read fd:1 --all --format json",
      "fdtool read fd:1 --all --format raw",
      "fdtool read fd:1 --all --format text | cat",
      "fdtool read fd:1 --all --format text >out; cat out",
      "fdtool read fd:1 --follow",
      "FDTOOL_PAGER= fdtool read fd:1 --all",
      "FDTOOL_PAGER=cat fdtool read fd:1 --all",
      "AI_AGENT=x fdtool read fd:1 --all",
    ]
  ) {
    const { shown, paged } = await shownBy(world, line);
    assertEquals(paged, undefined, line);
    assert(/5000(?:\n|\\n)/.test(shown), line);
  }
});

pagerTest("FDTOOL_PAGER goes before PAGER, and a dumb terminal has none unless it is chosen", async () => {
  using world = await longWorld();
  const line = "fdtool read fd:1 --all";
  const both = await shownBy(world, line, { ...NOTING, PAGER: "false" });
  assertStringIncludes(String(both.paged), "\n5000\n");
  const other = await shownBy(world, line, { PAGER: "cat >paged" });
  assertStringIncludes(String(other.paged), "\n5000\n");
  const none = await shownBy(world, line, { PAGER: "" });
  assertStringIncludes(none.shown, "\n5000\n");
  for (const TERM of ["dumb", ""]) {
    const dumb = await shownBy(world, line, { TERM });
    assertStringIncludes(dumb.shown, "\n5000\n");
    assert(!dumb.shown.includes("\x1b"), TERM);
  }
});

pagerTest("a pager that cannot be found or run leaves the answer on the terminal", async () => {
  using world = await longWorld();
  for (const pager of ["no-such-pager", "/dev/null", "./no/such --option"]) {
    const { shown } = await shownBy(world, "fdtool read fd:1 --all; echo code $?", { FDTOOL_PAGER: pager });
    assertStringIncludes(shown, "\n5000\n", pager);
    assertStringIncludes(shown, "code 0\n", pager);
    assertEquals(shown.split("\n").filter((each) => each === "4999").length, 1, pager);
  }
});

pagerTest("a pager that leaves early is no failure, and the exit code is the command's own", async () => {
  using world = await longWorld();
  for (const pager of ["head -1", "true", "false", "exit 3", "kill -9 $$"]) {
    const { shown } = await shownBy(world, "fdtool read fd:1 --all; echo code $?", { FDTOOL_PAGER: pager });
    assertStringIncludes(shown, "code 0\n", pager);
    assert(!shown.includes("fdtool: "), `${pager}: ${shown}`);
    assert(!shown.includes("\n5000\n"), pager);
  }
  const { shown } = await shownBy(world, "fdtool diff fd:1 fd:2; echo code $?", {
    FDTOOL_PAGER: "head -1",
  });
  assertStringIncludes(shown, "code 1\n", "the contents differ");
});

pagerTest("a pager gets colours, options for less, and no control char of the content", async () => {
  using world = makeWorld();
  world.write("content", `\x1b]0;owned\x07\x1b[31mred\n${"line\n".repeat(50)}`);
  await world.shell("fdtool capture --always <content");
  const env = { FDTOOL_PAGER: 'cat >paged; echo "$LESS" >less', TERM: "xterm" };
  const { paged = "" } = await shownBy(world, "fdtool read fd:1 --exact", env);
  assertEquals(world.text("less"), "FRX\n");
  assertStringIncludes(paged, "\x1b[33mfd:1");
  assertStringIncludes(paged, "\\x1b]0;owned\\x07\\x1b[31mred\n");
  await shownBy(world, "fdtool read fd:1", { ...env, LESS: "i" });
  assertEquals(world.text("less"), "i\n", "the user's own options stay");
});

const HAS_LESS = existsSync("/usr/bin/less") || existsSync("/bin/less");

Deno.test({
  name: "pager: an interrupt in less ends neither it nor fdtool, and leaves the terminal as it was",
  ignore: WHY_NOT !== undefined || !HAS_LESS,
  async fn() {
    using world = await longWorld();
    // The shell of a script is interrupted with its commands, unlike one that people type into.
    const line =
      `trap : INT; ${SIZE}; stty -g >before; fdtool read fd:1 --all; echo "code $?"; stty -g >after`;
    await using session = lineOnTerminal(world, line, { TERM: "xterm" });
    await session.shows("fd:1");
    await session.shows("\n:");
    await session.type("\x03");
    await session.shows(":");
    await session.type("q");
    await session.shows("code 0");
    await session.end();
    assertEquals(world.text("after"), world.text("before"));
  },
});
