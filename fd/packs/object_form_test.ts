import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { blockSum } from "../bytes/block_sum.ts";
import {
  decodeObjectHeader,
  encodeObject,
  isObjectForm,
  OBJECT_HEADER_BYTES,
  objectContentAt,
  objectEnd,
  type ObjectHeader,
  objectParts,
} from "./object_form.ts";

const someBytes = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
const contents = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
  record: someBytes(400, 1),
  index: someBytes(300),
  content: someBytes(2000),
  nonce: fc.option(someBytes(16, 16), { nil: undefined }),
});

function headerOf(bytes: Uint8Array): ObjectHeader {
  const header = decodeObjectHeader(bytes);
  assert(typeof header === "object", String(header));
  return header;
}

Deno.test("the parts of an object are those that were joined, and lines appended later follow them", () => {
  fc.assert(fc.property(contents, someBytes(200), (joined, later) => {
    const bytes = encodeObject(joined);
    const header = headerOf(bytes);
    assertEquals(objectEnd(header), bytes.length);
    const all = new Uint8Array([...bytes, ...later]);
    assertEquals(objectParts(all, header), {
      record: joined.record,
      index: joined.index,
      content: joined.content,
      appended: later,
      isWhole: true,
    });
    assertEquals(objectContentAt(header), OBJECT_HEADER_BYTES + joined.record.length + joined.index.length);
    assertEquals(header.id, joined.id);
    assertEquals(header.nonce, joined.nonce ?? new Uint8Array(16));
  }));
});

Deno.test("an object that is cut off is never whole, and what is there of its parts is a part of them", () => {
  fc.assert(fc.property(contents, fc.nat(), (joined, cut) => {
    const bytes = encodeObject(joined);
    const short = bytes.subarray(0, cut % bytes.length);
    const header = decodeObjectHeader(short);
    if (short.length < OBJECT_HEADER_BYTES) return assertEquals(header, "truncated");
    assert(typeof header === "object");
    const parts = objectParts(short, header);
    assertEquals([parts.isWhole, parts.appended.length], [false, 0]);
    assertEquals(parts.content, joined.content.subarray(0, parts.content.length));
    assertEquals(parts.record, joined.record.subarray(0, parts.record.length));
  }));
});

Deno.test("any changed byte of a header is damage", () => {
  const bytes = encodeObject({ id: 12, record: new Uint8Array(300), content: new Uint8Array(5000) });
  for (let at = 0; at < OBJECT_HEADER_BYTES; at++) {
    for (const bit of [1, 0x80]) {
      const changed = bytes.slice();
      changed[at]! ^= bit;
      assertEquals(decodeObjectHeader(changed), at < 4 ? "not an object" : "wrong checksum");
      assertEquals(isObjectForm(changed), at >= 4);
    }
  }
});

Deno.test("a header whose sum is right is refused for what this version would not have written", () => {
  const changed = (at: number, value: number) => {
    const bytes = encodeObject({ id: 12, record: new Uint8Array(10) });
    bytes[at] = value;
    bytes.fill(0, 4, 8);
    new DataView(bytes.buffer).setUint32(4, blockSum(bytes.subarray(0, OBJECT_HEADER_BYTES)), true);
    return bytes;
  };
  assertEquals(decodeObjectHeader(changed(8, 1)), "unknown flags");
  for (const at of [12, 15, 22, 23, 30, 31, 38, 39, 62, 127]) {
    assertEquals(decodeObjectHeader(changed(at, 1)), "impossible", String(at));
  }
  // A record of nothing, and of more than any log.
  assertEquals(decodeObjectHeader(changed(16, 0)), "impossible");
  assertEquals(decodeObjectHeader(changed(19, 2)), "impossible");
  assertEquals(headerOf(changed(37, 0x80)).contentBytes, 0x80 * 2 ** 40);
});

Deno.test("bytes that are no header are damage, whatever they are", () => {
  fc.assert(fc.property(someBytes(300), (bytes) => {
    assertEquals(typeof decodeObjectHeader(bytes), "string");
  }));
  assertEquals(decodeObjectHeader(new TextEncoder().encode("c37265de {}\n")), "not an object");
  assertEquals(decodeObjectHeader(new Uint8Array()), "truncated");
});
