import { assert } from "@std/assert";
import { readWhole } from "../../fd/mod.ts";
import { blocksOf } from "../../tests/outlined_bytes.ts";
import { digestBody } from "../../src/answers/render/body_text.ts";
import { digestPreview } from "../../src/findings/digest/digest_preview.ts";
import { answers, listings } from "./listings.ts";

Deno.test("the first answers to listings hold three of five facts that are asked, in at most 2,000 chars where there is an outline", async () => {
  let [answered, asked] = [0, 0];
  for (const { name, content: bytes, asks } of listings()) {
    const content = blocksOf(bytes);
    const { parts, outlined } = await digestPreview(content, { budgetChars: 4000 });
    const text = new TextDecoder().decode(readWhole(digestBody(parts)));
    // Without the tags around it.
    if (outlined?.startsWith("a ") === true) assert(text.length <= 2000, `${name}: ${text.length} chars`);
    const lines = [`total_lines="${content.lineCount}"`, ...text.split("\n")];
    asked += asks.length;
    answered += asks.filter(({ facts }) => answers(lines, facts)).length;
  }
  assert(asked >= 180 && answered >= asked * 0.6, `${answered} of ${asked}`);
});
