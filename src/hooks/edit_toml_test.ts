/** The marked block in TOML: taking it out gives back the text, byte for byte. @module */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { hasTomlBlock, parseToml, withoutTomlBlock, withTomlBlock } from "./edit_toml.ts";

const LINES = ["[mcp_servers.fdtool]", 'command = "fdtool"'];

Deno.test("edit toml: there and back, whatever stands before and behind", () => {
  const line = fc.constantFrom(
    "",
    "# comment",
    "a = 1",
    "[table]",
    'x = """',
    '"""',
    "\tb = [",
    "]",
    "# <<< fdtool",
  );
  fc.assert(fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.boolean(), (lines, eol, ended) => {
    const text = lines.join(eol) + (ended && lines.length > 0 ? eol : "");
    const added = withTomlBlock(text, LINES);
    assertEquals(hasTomlBlock(added), true);
    assertEquals(withoutTomlBlock(added), text);
    const later = added.endsWith("\n") ? `${added}c = 3\n` : `${added}${eol}c = 3\n`;
    assertEquals(hasTomlBlock(withoutTomlBlock(later)), false);
  }));
});

Deno.test("edit toml: what is added means what it is to mean, after any table", () => {
  const before = '# mine\nmodel = "o4"\n[mcp_servers.other]\ncommand = "x"\n';
  assertEquals(parseToml(withTomlBlock(before, LINES)), {
    value: { model: "o4", mcp_servers: { other: { command: "x" }, fdtool: { command: "fdtool" } } },
  });
  const inline = "mcp_servers = { other = {} }\n";
  assertEquals("problem" in parseToml(withTomlBlock(inline, LINES)), true);
  const broken = parseToml("a = 1\nb = \n");
  assertEquals("lineNumber" in broken ? broken.lineNumber : 0, 2);
});
