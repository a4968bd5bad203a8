import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { readJson } from "./truncated_json.ts";

Deno.test("every proper beginning of an object or list is recognised as cut", () => {
  fc.assert(
    fc.property(fc.jsonValue().filter((value) => typeof value === "object" && value !== null), (value) => {
      const json = JSON.stringify(value);
      assertEquals(readJson(json).kind, "value");
      for (let length = 1; length < json.length; length++) {
        assertEquals(readJson(json.slice(0, length)).kind, "truncated", json.slice(0, length));
      }
    }),
  );
});

Deno.test("JSON that is wrong before its end is not called cut", () => {
  for (
    const wrong of [
      "{old: 1",
      '{"a" 1',
      '{"a": 1,}',
      '["a",,',
      '{"a": tru e',
      '{"a": "\\x',
      '{"a": 01',
      "}",
      '{"a": 1}}',
      "hello",
      '{"a": "line\nbreak',
      "[1 2",
      "",
      "  \n",
      "{'a': 1",
    ]
  ) {
    assertEquals(readJson(wrong).kind, "invalid", wrong);
  }
});

Deno.test("a cut payload says how many characters arrived, and whether it ended inside a string", () => {
  const cut = readJson('{"new_string": "a😀b');
  assert(cut.kind === "truncated");
  assertEquals([cut.charCount, cut.insideString], [19, true]);
});

Deno.test("any text is read without a crash", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const { kind } = readJson(text);
    assert(kind === "value" || kind === "truncated" || kind === "invalid");
  }));
});
