/** Documents show real output: transcripts that are run again give the same (`scripts/test --update` rewrites them). */

import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { replayTranscripts } from "./transcript.ts";
import { whyNoTerminal } from "./pseudo_terminal.ts";
import { sessionPicture } from "./session_picture.ts";
import { CHECKOUT, makeWorld } from "./world.ts";

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
