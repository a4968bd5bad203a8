import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyChar } from "../../../tests/contents.ts";
import { bytesOf, contentOf } from "../../../tests/outlined_bytes.ts";
import { type ContentOutline, latin1Of } from "./outlined_content.ts";
import { JsonPaths } from "./json_paths.ts";
import { looksLikeJson } from "./known_starts.ts";
import { outlineJson } from "./outline_json.ts";
import { ARRAY, FALSE, KINDS, NULL, NUMBER, OBJECT, type PathNode, STRING, TRUE } from "./path_node.ts";
import { JsonScan } from "./scan_json.ts";

function outlined(content: string | Uint8Array, pieceBytes?: number): ContentOutline | undefined {
  const bytes = typeof content === "string" ? bytesOf(content) : content;
  return looksLikeJson(latin1Of(bytes)) ? outlineJson(contentOf(bytes, pieceBytes), 4000) : undefined;
}

function textOf(content: string | Uint8Array): string {
  return outlined(content)?.lines.join("\n") ?? "";
}

function kindOf(value: unknown): number {
  if (value === null) return NULL;
  if (Array.isArray(value)) return ARRAY;
  if (typeof value === "boolean") return value ? TRUE : FALSE;
  return typeof value === "object" ? OBJECT : typeof value === "string" ? STRING : NUMBER;
}

/** How many values of each kind are at each path. */
type Counts = Map<string, number[]>;

function count(counts: Counts, path: string, value: unknown): void {
  const kind = kindOf(value);
  const known = counts.get(path) ?? KINDS.map(() => 0);
  known[kind]!++;
  counts.set(path, known);
  if (kind === ARRAY) { for (const each of value as unknown[]) count(counts, `${path}[]`, each); }
  if (kind === OBJECT) {
    for (const [key, each] of Object.entries(value as object)) {
      count(counts, `${path}.${JSON.stringify(key)}`, each);
    }
  }
}

function countsOf(root: PathNode): Counts {
  const counts: Counts = new Map();
  const visit = (node: PathNode, path: string): void => {
    counts.set(path, node.counts);
    if (node.element !== undefined) visit(node.element, `${path}[]`);
    for (const child of node.children) {
      visit(child, `${path}.${JSON.stringify(JSON.parse(`"${child.key}"`))}`);
    }
  };
  visit(root, "");
  return counts;
}

const VALUES = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, 0, -1.5, 1e300, "", "ok", 'é\u0000"\\'),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: anyChar }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "error"), fc.string({ unit: anyChar })), tie("value"), {
      maxKeys: 4,
    }),
  ),
})).value;

function scanned(bytes: Uint8Array, pieceBytes: number) {
  const paths = new JsonPaths();
  const scan = new JsonScan(paths, 0, false);
  for (let at = 0; at < bytes.length; at += pieceBytes) scan.take(bytes.subarray(at, at + pieceBytes));
  scan.end();
  return { paths, scan };
}

Deno.test("all paths of random JSON are found with the kinds of their values, as JSON.parse has them", () => {
  fc.assert(fc.property(
    fc.array(VALUES, { minLength: 1, maxLength: 6 }),
    fc.constantFrom(undefined, 1, 2),
    fc.integer({ min: 1, max: 40 }),
    (values, indent, pieceBytes) => {
      const text = JSON.stringify(values, undefined, indent);
      const expected: Counts = new Map();
      count(expected, "", JSON.parse(text));
      const { paths, scan } = scanned(bytesOf(text), pieceBytes);
      assertEquals(scan.fault, undefined);
      assertEquals(new Map([...countsOf(paths.root)].sort()), new Map([...expected].sort()));
    },
  ));
});

Deno.test("what JSON.parse refuses is refused, and the other way round", () => {
  fc.assert(fc.property(
    VALUES,
    fc.nat(),
    fc.constantFrom("", ",", "]", "}", '"', "1", "-", "\\", ":", "e", "0", ".", "nul", "\n", "tru"),
    (value, place, inserted) => {
      const text = JSON.stringify([value], undefined, 1);
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + inserted + text.slice(at + (inserted === "" ? 1 : 0));
      let isJson = true;
      try {
        JSON.parse(changed);
      } catch {
        isJson = false;
      }
      const { scan } = scanned(bytesOf(changed), 7);
      // Several values are not refused.
      if (scan.valueCount + scan.otherLineCount === 1) {
        assertEquals(scan.fault === undefined, isJson, changed);
      } else if (isJson) assertEquals(scan.valueCount, 1);
    },
  ));
});

Deno.test("the outline does not depend on the pieces in which content comes", () => {
  fc.assert(
    fc.property(
      fc.array(VALUES, { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      (values, size, isLines) => {
        const objects = values.map((value, id) => ({ id, value }));
        const text = isLines
          ? objects.map((each) => JSON.stringify(each)).join("\n")
          : JSON.stringify(objects, undefined, 1);
        assertEquals(outlined(text, size), outlined(text));
      },
    ),
  );
});

function items(change: (item: Record<string, unknown>, at: number) => void): unknown[] {
  return Array.from({ length: 1000 }, (_, at) => {
    const item: Record<string, unknown> = {
      id: at + 1,
      name: `n${at}`,
      status: "ok",
      ms: at % 100,
      error: null,
    };
    change(item, at);
    return item;
  });
}

Deno.test("the one element that differs among thousands is shown with its path", () => {
  const cases: [(item: Record<string, unknown>) => void, string][] = [
    [(item) => item["status"] = "failed", '.status is "failed" (1 of 1,000)'],
    [
      (item) => item["error"] = { code: 7, message: "disk full" },
      '.error (1 of 1,000): {"code":7,"message":"disk full"}',
    ],
    [(item) => delete item["name"], "no .name (1 of 1,000)"],
    [(item) => item["extra"] = 1, "only here: .extra (1 of 1,000)"],
    [(item) => item["name"] = null, ".name is null (1 of 1,000)"],
    [(item) => item["ms"] = 90_000, ".ms is 90000, all others at most 99"],
    [(item) => item["id"] = "x", ".id is of type string (1 of 1,000)"],
  ];
  for (const [change, expected] of cases) {
    const values = items((item, at) => at === 777 && change(item));
    const outline = outlined(JSON.stringify({ items: values }))!;
    assert(
      outline.lines.some((line) => line.includes(".items[777]") && line.includes(expected)),
      outline.lines.join("\n"),
    );
    assertEquals(outline.query, ".items[777]");
    const lines = textOf(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
    assert(lines.includes(` line 778: `) && lines.includes(expected), lines);
  }
  assert(!textOf(JSON.stringify(items(() => {}))).includes("odd:"));
});

Deno.test("next asks for the oddest element that is not shown whole below", () => {
  const odd = items((item, at) => {
    if (at === 100) item.status = "failed";
    if (at === 200) item.extra = true;
    if (at === 300) delete item.name;
    if (at === 400) item.ms = null;
    if (at === 500) item.ms = 1e6;
  });
  const { lines, shownLines = [], query } = outlined(JSON.stringify(odd, null, 1))!;
  assertEquals(lines.filter((line) => line.startsWith(" [")).length, 4);
  assertEquals(query, ".[400]");
  assert(shownLines.length > 0);
  const one = outlined(JSON.stringify(items((item, at) => at === 100 && (item.status = "failed")), null, 1))!;
  assertEquals(one.query, ".[100]");
});

Deno.test("lines that are not JSON are shown with their numbers; too many of them are another kind of content", () => {
  const lines = items(() => {}).map((value) => JSON.stringify(value));
  lines.splice(500, 0, "Segmentation fault", '{"id": 5, "na');
  const text = textOf(lines.join("\r\n"));
  assert(text.includes('not JSON: line 501 (unexpected "Segmentation")'), text);
  assert(text.includes("not JSON: line 502 (byte 0x0d inside a string)"), text);
  assert(text.startsWith("JSON lines: 1,000 objects"), text);
  assertEquals(outlined(lines.map((line) => `${line}\nplain text`).join("\n")), undefined);
});

Deno.test("broken JSON says where it breaks, and leaves the rest to the digest", () => {
  const text = JSON.stringify({ items: items(() => {}) }, undefined, 1);
  const cut = outlined(text.slice(0, -9000))!;
  assert(
    /; invalid at line \d,\d{3}, column \d+: the content ends inside a value$/.test(cut.lines[0]!),
    cut.lines[0],
  );
  const spoilt = outlined(text.replace('"n200"', '@@@"n200"'))!;
  assert(spoilt.lines[0]!.includes("; invalid at line "), spoilt.lines[0]);
  assertEquals(spoilt.below, "digest");
  assertEquals(outlined("[2026-01-01 10:00] started\n".repeat(1000)), undefined);
  assertEquals(outlined("{ echo hello; }\n".repeat(1000)), undefined);
});

Deno.test("100,000 levels, a key twice, NaN, numbers beyond 2^53 and a byte order mark are outlined", () => {
  const deep = textOf("[".repeat(100_000) + "]".repeat(100_000));
  assert(deep.includes("100,000 levels deep") && deep.length < 1500, deep);
  assert(textOf('{"a":{"b":1,"c":2,"b":3}}').includes('key "b" twice'));
  assert(textOf('{"a":[NaN,1,-Infinity]}').includes("NaN or Infinity ×2"));
  assert(
    textOf('{"a":[12345678901234567890,12345678901234567891.5,7,1,2,3,4,5,6,8,9,10,11,12,13,14,15,16]}')
      .includes("12345678901234567890"),
  );
  assert(textOf('\ufeff{"a":1}').startsWith("JSON: one object"));
});

Deno.test("very many keys are a dictionary, whose values share one path", () => {
  const byId = Object.fromEntries(items(() => {}).map((item, at) => [`/usr/lib/${at}`, item]));
  const text = textOf(JSON.stringify({ byId }));
  assert(text.includes('.byId: dictionary of 1,000 keys such as "/usr/lib/0"\n .*:\n  .id'), text);
  assert(text.length < 600, text);
});

Deno.test("an outline has all paths in at most 1,500 chars where they are not very many", () => {
  const wide = items((item, at) => {
    for (let key = 0; key < 50; key++) {
      item[`some_longer_key_${String.fromCharCode(97 + key % 26)}${key > 25 ? "x" : ""}_url`] =
        `https://example.com/${at}/${key}`;
    }
  });
  const text = textOf(JSON.stringify({ wide }));
  assert(text.length <= 1900, `${text.length}\n${text}`);
  for (const key of Object.keys(wide[0] as object)) assert(text.includes(`.${key}`), key);
});

Deno.test("an object where texts are common is named by its path once", () => {
  const lines = Array.from(
    { length: 400 },
    (_, at) => at === 300 ? '{"M":{"x":1}}' : `{"M":"started unit ${at}"}`,
  );
  const text = outlined(lines.join("\n"))!.lines.join("\n");
  assert(text.includes("line 301: .M is of type object"), text);
});

Deno.test("a path that is the only one in all objects shares their line, and the number of objects is said once", () => {
  const documents = Array.from(
    { length: 25 },
    (_, at) => ({ metadata: { labels: { app: `a${at % 2}` } }, spec: { a: at, b: 1 } }),
  );
  const text = textOf(documents.map((each) => JSON.stringify(each)).join("\n"));
  assert(text.includes('\n.metadata.labels.app: "a0" ×13, "a1" ×12\n.spec:\n .a: integer 0–24'), text);
});
