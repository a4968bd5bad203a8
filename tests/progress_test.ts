/**
 * Long work says on a terminal how far it is, in one line that it wipes at the end. Pipes, files, agents and terminals
 * that cannot rewrite a line get nothing of it.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { bytesShown, lineOnTerminal, whyNoTerminal } from "./pseudo_terminal.ts";
import { makeWorld, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();

function terminalTest(name: string, test: () => Promise<void>): void {
  Deno.test({
    name: WHY_NOT === undefined ? `progress: ${name}` : `progress: ${name} (skipped: ${WHY_NOT})`,
    ignore: WHY_NOT !== undefined,
    fn: test,
  });
}

/** Reads `input` in small pieces until the file `seen` exists, then the rest: an end that time alone does not decide. */
const SLOWLY = (input: string) =>
  `(while [ ! -e seen ] && dd bs=512 count=1 status=none 2>&1; do sleep 0.02; done; cat) <${input}`;

/** A world with an archive of 2 MB: at 512 bytes each 20 ms, it lasts longer than any machine takes to show a line. */
async function archiveWorld(): Promise<World> {
  const world = makeWorld();
  world.write("content", "a line of the log\n".repeat(110_000));
  await world.run(["capture", "--always", "content"]);
  await world.run(["export", "fd:1", "--output", "a.tar"]);
  return world;
}

/** Runs a line on a terminal until `text` is shown, then lets it end. */
async function shownUntil(
  world: World,
  line: string,
  text: string,
): Promise<{ code: number; shown: string }> {
  const env = { TERM: "xterm", NO_COLOR: "1", FDTOOL_FORMAT: "xml" };
  await using session = lineOnTerminal(world, line, env);
  await session.shows(text);
  world.write("seen", "");
  return await session.end();
}

/** Each text that a progress line had. */
function progressIn(shown: string): string[] {
  return [...shown.matchAll(/\r([^\r\n]*[^ \r\n]) *(?=\r)/g)].map(([, text]) => text!);
}

const AMOUNT = "[\\d.]+ [KMG]?i?B";

terminalTest("import shows how much of how much, the rate and the end, and wipes it", async () => {
  using world = await archiveWorld();
  const { code, shown } = await shownUntil(
    world,
    `${SLOWLY("a.tar")} | fdtool import --store other`,
    " left",
  );
  assertEquals(code, 0, shown);
  const [first] = progressIn(shown);
  assertMatch(
    first!,
    new RegExp(`^importing ${AMOUNT} of 1\\.9 MiB, \\d+%, ${AMOUNT}/s, [\\d.minhs ]+ left$`),
  );
  assert(/\r +\r<fd_import/.test(shown), JSON.stringify(shown.slice(-400)));
  assert(!shown.includes("\x1b"), JSON.stringify(shown));
});

terminalTest("export shows it while it writes to a pipe, which gets none of it", async () => {
  using world = await archiveWorld();
  const slow = SLOWLY("/dev/stdin");
  const { code, shown } = await shownUntil(world, `fdtool export fd:1 | ${slow} >b.tar`, "exporting");
  assertEquals(code, 0, shown);
  assertMatch(progressIn(shown)[0]!, new RegExp(`^exporting ${AMOUNT} of 1\\.9 MiB, \\d+%, ${AMOUNT}/s`));
  assertEquals(world.bytes("b.tar").length, world.bytes("a.tar").length);
});

terminalTest("the line fits the terminal", async () => {
  using world = await archiveWorld();
  const line = `stty cols 30; ${SLOWLY("a.tar")} | fdtool import --store other`;
  const { shown } = await shownUntil(world, line, "importing");
  for (const each of progressIn(shown)) assert(each.length < 30, each);
});

terminalTest("nothing is shown to an agent, on a dumb terminal, or of short work", async () => {
  using world = await archiveWorld();
  world.write("seen", "");
  const slowly = "(head -c 100000 && sleep 1.2 && cat) <a.tar";
  for (
    const [line, env] of [
      [`${slowly} | fdtool import --store one`, { TERM: "xterm", CLAUDECODE: "1" }],
      [`${slowly} | fdtool import --store two`, { TERM: "dumb" }],
      ["fdtool import a.tar --store three", { TERM: "xterm" }],
    ] as const
  ) {
    const shown = new TextDecoder().decode(await bytesShown(world, line, { NO_COLOR: "1", ...env }));
    assert(!shown.includes("\x1b"), JSON.stringify(shown));
  }
});
