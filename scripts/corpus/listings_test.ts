import { assert } from "@std/assert";
import { openStore, putBytes, readWhole } from "../../fd/mod.ts";
import { digestBody } from "../../src/answers/render/body_text.ts";
import { digestPreview } from "../../src/findings/digest/digest_preview.ts";
import { answers, listings } from "./listings.ts";

Deno.test("the first answers to listings hold three of five facts that are asked, in at most 2,000 chars where there is an outline", async () => {
  const directory = Deno.makeTempDirSync();
  try {
    const store = openStore(directory);
    let [answered, asked] = [0, 0];
    for (const { name, content, asks } of listings()) {
      const entry = putBytes(store, content, { source: "test" });
      const { parts, outlined } = await digestPreview(store, entry, 4000);
      const text = new TextDecoder().decode(readWhole(digestBody(parts)));
      // Without the tags around it.
      if (outlined?.startsWith("a ") === true) assert(text.length <= 2000, `${name}: ${text.length} chars`);
      const lines = [`total_lines="${entry.lineCount}"`, ...text.split("\n")];
      asked += asks.length;
      answered += asks.filter(({ facts }) => answers(lines, facts)).length;
    }
    assert(asked >= 180 && answered >= asked * 0.6, `${answered} of ${asked}`);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
