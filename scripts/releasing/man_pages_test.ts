// Promise: every command has a manual page with all its options, as roff shows them unchanged.

import { assert, assertEquals } from "@std/assert";
import { exitCodesOf } from "../../src/calls/arguments/help_text.ts";
import { listOperations } from "../../src/commands/rows.ts";
import { manPages } from "./man_pages.ts";

/** The text that roff makes of a page: without requests, fonts and escapes. */
function shown(page: string): string {
  return page.replace(/^\.(?:SH|SS|TP|PP|BR?|I|nf|fi|TH) ?/gm, "").replaceAll(/\\f[BIR]|\\&/g, "")
    .replaceAll("\\-", "-").replaceAll("\\(dq", '"').replaceAll("\\e", "\\");
}

Deno.test("man pages: one per command, with its summary, options and exit codes", async () => {
  const pages = await manPages();
  const commands = listOperations().filter(({ hidden }) => hidden !== true);
  assertEquals(
    [...pages.keys()].sort(),
    ["fdtool.1", ...commands.map(({ name }) => `fdtool-${name}.1`)].sort(),
  );
  for (const entry of commands) {
    const text = shown(pages.get(`fdtool-${entry.name}.1`)!);
    const { spec } = await entry.load();
    const { options, notes = [], example } = spec;
    for (const [name, { help, hidden }] of Object.entries(options)) {
      if (hidden === true) continue;
      assert(text.includes(`--${name}`) && text.includes(help), `${entry.name}: --${name}`);
    }
    for (
      const said of [
        entry.summary,
        ...notes,
        example,
        ...exitCodesOf(spec).map(([, meaning]) => meaning),
      ]
    ) {
      assert(text.includes(said), `${entry.name}: ${said}`);
    }
  }
});

Deno.test("man pages: no line of text is taken for a request, and pages have no date", async () => {
  for (const [name, page] of await manPages()) {
    const requests = page.split("\n").filter((line) => /^[.']/.test(line));
    assertEquals(requests.filter((line) => !/^\.(?:TH|SH|SS|TP|PP|BR?|I|nf|fi)\b/.test(line)), [], name);
    assert(/^\.TH "[^"]+" 1 "" "fdtool [^"]+" "fdtool"$/m.test(page), name);
  }
});
