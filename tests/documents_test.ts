/**
 * Documents show real output: transcripts that are run again give the same (`scripts/test --update` rewrites them), and
 * measured figures are those of the newest results.
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { replayTranscripts } from "./transcript.ts";
import { whyNoTerminal } from "./pseudo_terminal.ts";
import { sessionPicture } from "./session_picture.ts";
import { CHECKOUT, makeWorld } from "./world.ts";

const AGENTS = join(CHECKOUT, "docs", "agents.md");
const updating = Deno.env.get("FDTOOL_UPDATE_GOLDEN") === "1";

for (const name of ["agents.md", "first-answer.md", "terminal.md", "tour.md"]) {
  Deno.test(`docs/${name}: every transcript was really produced`, async () => {
    const path = join(CHECKOUT, "docs", name);
    const document = Deno.readTextFileSync(path);
    using world = makeWorld();
    const replayed = await replayTranscripts(document, world);
    if (updating) Deno.writeTextFileSync(path, replayed);
    else assertEquals(replayed, document);
  });
}

Deno.test("docs/agents.md: the savings are those of the newest results", () => {
  const directory = join(CHECKOUT, "scripts", "savings-results");
  const newest = [...Deno.readDirSync(directory)].map(({ name }) => name).sort().at(-1);
  assert(newest !== undefined);
  const table = Deno.readTextFileSync(join(directory, newest)).split("\n").filter((line) =>
    line.startsWith("|")
  );
  const document = Deno.readTextFileSync(AGENTS);
  // A formatter may pad the cells.
  const bare = (line: string) => line.replace(/ +/g, " ").replace(/-+/g, "-");
  const lines = new Set(document.split("\n").map(bare));
  for (const line of table) assert(lines.has(bare(line)), `not in docs/agents.md: ${line}`);
});

Deno.test({
  name: "README.md: its picture is a session that was really run",
  ignore: whyNoTerminal() !== undefined,
  async fn() {
    const path = join(CHECKOUT, "docs", "session.svg");
    const picture = await sessionPicture();
    if (updating) Deno.writeTextFileSync(path, picture);
    else assertEquals(picture, Deno.readTextFileSync(path));
  },
});
