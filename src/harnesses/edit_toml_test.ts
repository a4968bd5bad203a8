/**
 * Promise: removing a table or list element from TOML restores the text byte for byte, whatever the harness wrote around it.
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  isSame,
  parseToml,
  tomlValueAt,
  withoutTomlElement,
  withoutTomlTable,
  withTomlElement,
  withTomlTable,
} from "./edit_toml.ts";

const SERVER = { command: "fdtool" };
const PATH = ["mcp_servers", "fdtool"];
const ROOTS = ["sandbox", "roots"];
const ROOT = "/a store";

/** TOML with comments, blank lines, lists over several lines, and strings that look like headers. */
const tomlText = fc.tuple(
  fc.uniqueArray(
    fc.constantFrom(
      "",
      "# comment",
      "a = 1",
      "t.u = [\n  1, # [x]\n  2,\n]",
      'x = """\n[mcp_servers.fdtool]\n"""',
      "y = '''\n[sandbox]\n'''",
      'mcp_servers = { other = { command = "x" } }',
      " mcp_servers={} # mine",
      'mcp_servers.other.command = "x"',
      "sandbox = { network = true }",
      'sandbox = {network = true,roots = ["/b"]}',
      "sandbox.network = true # mine",
      'sandbox.roots = [ "/b" ]',
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
}).filter((text) => "value" in parseToml(text));

Deno.test("edit toml: removing a table restores the text, also with more behind it", () => {
  fc.assert(fc.property(tomlText, (text) => {
    const added = withTomlTable(text, PATH, SERVER)!;
    assertEquals(tomlValueAt(valueOf(added), PATH), SERVER);
    assertEquals(withoutTomlTable(added, PATH), text);
    const later = `${added.endsWith("\n") ? added : `${added}\n`}[later]\nc = 3\n`;
    const left = withoutTomlTable(later, PATH)!;
    assertEquals(left.startsWith(text), true);
    assertEquals(valueOf(left), { ...valueOf(text), later: { c: 3 } });
  }));
});

Deno.test("edit toml: removing an element restores the text, whatever form its list has", () => {
  fc.assert(fc.property(tomlText, (text) => {
    const added = withTomlElement(text, ROOTS, ROOT)!;
    const before = tomlValueAt(valueOf(text), ROOTS) as string[] | undefined;
    assertEquals(tomlValueAt(valueOf(added), ROOTS), [ROOT, ...before ?? []]);
    const back = withoutTomlElement(added, ROOTS, ROOT)!;
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
  ) assertEquals(withoutTomlElement(before, ROOTS, ROOT), after);
  const other = '[sandbox]\nroots = ["/b"]\n';
  assertEquals(withoutTomlElement(other, ["sandbox", "others"], ROOT), other);
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

Deno.test("edit toml: an addition that would mean something else is refused", () => {
  for (const text of ["'mcp_servers' = { other = {} }\n", "mcp_servers = 1\n", "[[mcp_servers]]\nx = 1\n"]) {
    assertEquals(withTomlTable(text, PATH, SERVER), undefined);
  }
  const broken = parseToml("a = 1\nb = \n");
  assertEquals("lineNumber" in broken ? broken.lineNumber : 0, 2);
});

Deno.test("edit toml: the order of keys makes no difference to a value", () => {
  assertEquals(isSame({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }), true);
  assertEquals(isSame([1, 2], [2, 1]), false);
});

function valueOf(text: string): Record<string, unknown> {
  const read = parseToml(text);
  if (!("value" in read)) throw new Error(`${read.problem}: ${text}`);
  return read.value;
}
