/**
 * Promise: removing a table or list element from TOML restores the text byte for byte, even if the harness dropped a
 * marker.
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  parseToml,
  tomlValueAt,
  withoutTomlElement,
  withoutTomlTable,
  withTomlBlock,
  withTomlElement,
} from "./edit_toml.ts";

const LINES = ["[mcp_servers.fdtool]", 'command = "fdtool"'];
const PATH = ["mcp_servers", "fdtool"];
const ROOT = { table: "sandbox", key: "roots", value: "/a store" };

/** TOML with comments, blank lines, lists over several lines, and strings that look like headers. */
const tomlText = fc.tuple(
  fc.uniqueArray(
    fc.constantFrom(
      "",
      "# comment",
      "a = 1",
      "t.u = [\n  1, # [x]\n  2,\n]",
      'x = """\n[mcp_servers.fdtool]\n"""',
      "y = '''\n# <<< fdtool\n'''",
    ),
  ),
  fc.uniqueArray(
    fc.constantFrom(
      "[table]\n\tb = { c = [1, 2] }",
      "[mcp_servers.other]\ncommand = 'x' # keep",
      "[[list]]\nz = 1\n\n\n[[list]]\n",
      '# of the next\n["quoted name".d]\ne.f = "\\"["',
      "[sandbox]\nnetwork = true",
      "[sandbox]\nroots = [\"/b\", '/c'] # mine",
      "[sandbox] # empty\n\n# after",
      '[sandbox]\nroots = [\n    "/b", # one\n    "/c"\n]\nz = 1',
    ),
    { selector: (each) => each.includes("[sandbox]") ? "sandbox" : each },
  ),
  fc.constantFrom("\n", "\r\n"),
  fc.boolean(),
).map(([roots, tables, eol, ended]) => {
  const text = [...roots, ...tables].join("\n") + (ended && roots.length + tables.length > 0 ? "\n" : "");
  return text.replaceAll("\n", eol);
});

Deno.test("edit toml: removing a table restores the text, with its markers or without", () => {
  fc.assert(fc.property(tomlText, (text) => {
    const added = withTomlBlock(text, LINES);
    assertEquals(tomlValueAt(valueOf(added), PATH), { command: "fdtool" });
    assertEquals(withoutTomlTable(added, PATH), text);
    const later = `${added.endsWith("\n") ? added : `${added}\n`}[later]\nc = 3\n`;
    const left = withoutTomlTable(later, PATH)!;
    assertEquals([left.includes("fdtool: written"), valueOf(left)], [false, {
      ...valueOf(text),
      later: { c: 3 },
    }]);
    // The harness dropped one or both markers and inserted a table of its own before the second.
    const end = added.lastIndexOf("# <<< fdtool");
    const unmarked = `${added.slice(0, end)}[later]\nc = 3\n${added.slice(end)}`.replace(
      /# >>> fdtool.*\r?\n/,
      "",
    );
    const rest = withoutTomlTable(unmarked, PATH)!;
    assertEquals(valueOf(rest), { ...valueOf(text), later: { c: 3 } });
  }));
});

Deno.test("edit toml: removing an element restores the text, whatever form its list has", () => {
  fc.assert(fc.property(tomlText, (text) => {
    const added = withTomlElement(text, ROOT)!;
    const before = tomlValueAt(valueOf(text), ["sandbox", "roots"]) as string[] | undefined;
    assertEquals(tomlValueAt(valueOf(added), ["sandbox", "roots"]), [ROOT.value, ...before ?? []]);
    const back = withoutTomlElement(added, ROOT)!;
    assertEquals(back, text);
  }));
});

Deno.test("edit toml: an element is removed wherever in its list the harness moved it", () => {
  for (
    const [before, after] of [
      ['[sandbox]\nroots = ["/b", "/a store"]\n', '[sandbox]\nroots = ["/b"]\n'],
      ['[sandbox]\nroots = ["/b", "/a store", "/c"]\n', '[sandbox]\nroots = ["/b", "/c"]\n'],
      [
        '[sandbox]\nroots = [\n  "/b",\n  "/a store",\n  "/c",\n]\n',
        '[sandbox]\nroots = [\n  "/b",\n  "/c",\n]\n',
      ],
      ['[sandbox]\nroots = [\n  "/b", # b\n  "/a store"\n]\n', '[sandbox]\nroots = [\n  "/b", # b\n]\n'],
      ['sandbox.roots = ["/a store"]\nsandbox.n = 1\n', "sandbox.n = 1\n"],
      ['[sandbox] # mine\nroots = ["/a store"]\n', "[sandbox] # mine\n"],
    ] as const
  ) assertEquals(withoutTomlElement(before, ROOT), after);
  assertEquals(withoutTomlElement('[sandbox]\nroots = ["/b"]\n', ROOT), undefined);
});

Deno.test("edit toml: a table is removed in whatever form the harness rewrote it", () => {
  for (
    const [before, after] of [
      ['[mcp_servers]\nfdtool = { command = "x", args = [] }\nother = {}\n', "[mcp_servers]\nother = {}\n"],
      ['[mcp_servers.fdtool]\ncommand = "x"\n\n[mcp_servers.fdtool.env]\nA = "b"\n\n[z]\n', "\n[z]\n"],
      ['mcp_servers.fdtool.command = "x"\nmcp_servers.fdtool.args = []\na = 1\n', "a = 1\n"],
      ['["mcp_servers".\'fdtool\']\n# inside\ncommand = """\nx"""\n# behind\n', "# inside\n# behind\n"],
    ] as const
  ) assertEquals(withoutTomlTable(before, PATH), after);
});

Deno.test("edit toml: an addition parses to its value after any table", () => {
  const inline = "mcp_servers = { other = {} }\n";
  assertEquals("problem" in parseToml(withTomlBlock(inline, LINES)), true);
  const broken = parseToml("a = 1\nb = \n");
  assertEquals("lineNumber" in broken ? broken.lineNumber : 0, 2);
});

function valueOf(text: string): Record<string, unknown> {
  const read = parseToml(text);
  if (!("value" in read)) throw new Error(`${read.problem}: ${text}`);
  return read.value;
}
