/** Promise: an addition to JSON text is found there, and removing it restores the text byte for byte. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import {
  obstacleAt,
  type ParsedJson,
  parseJsonText,
  valueAt,
  withAddition,
  withoutNode,
} from "./edit_json.ts";

function parsed(text: string): ParsedJson {
  const result = parseJsonText(text);
  if ("problems" in result) throw new Error(`${JSON.stringify(result.problems)}: ${text}`);
  return result;
}

function valueOf(text: string): unknown {
  return parse(text, [], { allowTrailingComma: true });
}

const SERVER = { command: "fdtool", args: ["mcp"] };

/** Adds a server and removes it again; returns the text in between. */
function thereAndBack(text: string, path: string[] = ["mcpServers"], key = "fdtool"): string {
  const added = withAddition(parsed(text), { path, key }, SERVER);
  const node = valueAt(parsed(added), [...path, key]);
  assert(node !== undefined, added);
  assertEquals(withoutNode(parsed(added), node), text, added);
  return added;
}

Deno.test("edit json: an addition is laid out like its neighbours", () => {
  assertEquals(
    thereAndBack('{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"x": {} // last\n\t}\n}'),
    '{\n\t"a": 1, // one\n\t"mcpServers": {\n\t\t"x": {}, // last\n\t\t"fdtool": {\n\t\t\t"command": "fdtool",\n' +
      '\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t}\n}',
  );
  assertEquals(
    thereAndBack('{"mcpServers":{"x":{}}}'),
    '{"mcpServers":{"x":{}, "fdtool": {"command":"fdtool","args":["mcp"]}}}',
  );
  assertEquals(
    thereAndBack('{"a":1}'),
    '{"a":1, "mcpServers": {"fdtool":{"command":"fdtool","args":["mcp"]}}}',
  );
});

Deno.test("edit json: removing an addition restores odd texts byte for byte", () => {
  for (
    const text of [
      '{\n    "a": 1\n}\n',
      '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "x": {}\r\n  }\r\n}\r\n',
      '// head\n{\n  "mcpServers": {\n    "x": {}, // trailing comma\n  },\n}\n// foot',
      '{ "a": 1, /* between */ "mcpServers": { "x": [1,\n2] } }',
      '{\n  "mcpServers": { "x": {} } /* behind */\n}',
      '{\n  "mcpServers": {\n    "x": {} /* a */ /* b */ // c\n    // a line of its own\n  }\n}',
      '{"mcpServers":\n{\n"x":1\n}}',
      '{\n  "a": [\n    1\n  ]}',
      '  {\n     "deep": {},\n     "mcpServers": {\n        "x": { "y": 1 }\n     }\n  }  ',
    ]
  ) thereAndBack(text);
});

Deno.test("edit json: a list element is added at the end", () => {
  const text = '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Edit" }\n    ]\n  }\n}\n';
  const place = { path: ["hooks", "PreToolUse"], key: undefined };
  const added = withAddition(parsed(text), place, { matcher: "Bash" });
  assertEquals(
    added,
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Edit" },\n      {\n        "matcher": "Bash"\n      }\n' +
      "    ]\n  }\n}\n",
  );
  assertEquals(withoutNode(parsed(added), valueAt(parsed(added), ["hooks", "PreToolUse", 1])!), text);
});

Deno.test("edit json: removing an addition keeps what was added after it", () => {
  const text = '{\n  "mcpServers": {\n    "fdtool": 1, // ours\n    // theirs\n    "later": 2\n  }\n}\n';
  assertEquals(
    withoutNode(parsed(text), valueAt(parsed(text), ["mcpServers", "fdtool"])!),
    '{\n  "mcpServers": { // ours\n    // theirs\n    "later": 2\n  }\n}\n',
  );
  const only = '{\n  "a": 1,\n  "mcpServers": {\n    "fdtool": 1\n  }\n}\n';
  assertEquals(
    withoutNode(parsed(only), valueAt(parsed(only), ["mcpServers", "fdtool"])!),
    '{\n  "a": 1\n}\n',
  );
});

Deno.test("edit json: an obstacle is reported with its line", () => {
  const path = ["hooks", "PreToolUse", -1];
  assertEquals(obstacleAt(parsed("[]"), path), { lineNumber: 1, problem: "the whole is not an object" });
  assertEquals(obstacleAt(parsed('{\n"hooks": []}'), path), {
    lineNumber: 2,
    problem: "hooks is not an object",
  });
  assertEquals(obstacleAt(parsed('{"hooks": {"PreToolUse": {}}}'), path), {
    lineNumber: 1,
    problem: "hooks.PreToolUse is not an array",
  });
  assertEquals(obstacleAt(parsed('{"hooks": {},\n"hooks": {}}'), path), {
    lineNumber: 2,
    problem: "duplicate key hooks",
  });
  assertEquals(obstacleAt(parsed("{}"), path), undefined);
});

Deno.test("edit json: any value is added to any layout and removed without other changes", () => {
  const gap = fc.constantFrom(
    "",
    " ",
    "\n",
    "\r\n  ",
    "\t",
    "\n    ",
    " /* c */ ",
    " // c\n",
    "\n\n // x, }\n  ",
  );
  const leaf = fc.constantFrom("1", '"a, }{] // b"', "null", "true", "[]", "{}", "-1.5e3");
  const key = fc.constantFrom('"a"', '"b c"', '"}"', '"//"', '"mcp"');
  const member = (value: fc.Arbitrary<string>) =>
    fc.tuple(gap, key, gap, gap, value, gap).map(([a, k, b, c, each, d]) => `${a}${k}${b}:${c}${each}${d}`);
  const object = (value: fc.Arbitrary<string>) =>
    fc.tuple(
      fc.uniqueArray(member(value), {
        selector: (text) =>
          valueOf(`{${text}}`) === undefined ? text : Object.keys(valueOf(`{${text}}`) as object)[0],
        maxLength: 4,
      }),
      fc.boolean(),
      gap,
    )
      .map(([members, trailing, end]) =>
        `{${members.join(",")}${trailing && members.length > 0 ? "," : ""}${members.length === 0 ? "" : end}}`
      );
  const text = fc.tuple(gap, object(fc.oneof(leaf, object(leaf))), gap).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.boolean(), (before, nested) => {
      const path = nested ? ["mcp"] : ["mcpServers"];
      const read = parsed(before);
      fc.pre(obstacleAt(read, [...path, "fdtool"]) === undefined);
      const added = withAddition(read, { path, key: "fdtool" }, SERVER);
      const value = valueOf(before) as Record<string, unknown>;
      const inner = { ...value[path[0]!] as object, fdtool: SERVER };
      assertEquals(valueOf(added), { ...value, [path[0]!]: inner });
      const again = parsed(added);
      const back = withoutNode(again, valueAt(again, [...path, "fdtool"])!);
      const whole = valueOf(before) as Record<string, object>;
      // An empty object is removed as if install had made it.
      const wasEmpty = whole[path[0]!] !== undefined && Object.keys(whole[path[0]!]!).length === 0;
      if (!wasEmpty && Object.keys(whole).length > 0) assertEquals(back, before);
      else if (wasEmpty) {
        assertEquals(
          Object.keys(valueOf(back) as object),
          Object.keys(whole).filter((k) => k !== path[0]),
        );
      } else assertEquals(valueOf(back), {});
    }),
    { numRuns: 160 },
  );
});

Deno.test("edit json: text nested too deeply for the parser is reported", () => {
  for (const opening of ["[", '{"a":']) {
    const result = parseJsonText(opening.repeat(200_000));
    assertEquals("problems" in result && result.problems, [
      { lineNumber: 1, problem: "it is nested too deeply" },
    ]);
  }
});
