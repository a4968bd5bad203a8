// Promise: a listing is read exactly, or refused: never shorter, and never something else than was asked for.

import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { type AskedListing, readListing } from "./read_listing.ts";
import { childText, xmlIn } from "./read_xml.ts";

const DATE = "2026-11-23T16:00:00.000Z";

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function listing(
  keys: readonly string[],
  isCut = false,
  encode: (key: string) => string = encodeURIComponent,
): string {
  const contents = keys.map((key) =>
    `<Contents><Key>${escaped(encode(key))}</Key><LastModified>${DATE}</LastModified>` +
    `<ETag>&quot;e1&quot;</ETag><Size>12</Size><StorageClass>STANDARD</StorageClass></Contents>`
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n` +
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix/>` +
    `<KeyCount>${keys.length}</KeyCount><EncodingType>url</EncodingType>` +
    `<IsTruncated>${isCut}</IsTruncated>${contents.join("\n")}</ListBucketResult>`;
}

class Refused extends Error {
  constructor(readonly promise: string) {
    super();
  }
}

function read(text: string, asked: AskedListing) {
  return readListing(text, asked, (promise) => {
    throw new Refused(promise);
  });
}

const ASKED = { prefix: "p/", after: undefined, most: 1000 };

Deno.test("the objects of a listing, with etags without quotes", () => {
  const { objects, isCut } = read(listing(["p/a", "p/a b+%c"], true), ASKED);
  assertEquals(objects, [
    { key: "p/a", etag: "e1", byteCount: 12, modifiedAtMs: Date.parse(DATE) },
    { key: "p/a b+%c", etag: "e1", byteCount: 12, modifiedAtMs: Date.parse(DATE) },
  ]);
  assertEquals(isCut, true);
  assertEquals(read(listing([]), ASKED), { objects: [], isCut: false });
});

Deno.test("a listing that is not what was asked for is refused", () => {
  const refused: [string, typeof ASKED | { prefix: string; after: string; most: number }, boolean][] = [
    [listing(["p/b", "p/a"]), ASKED, true],
    [listing(["p/a", "p/a"]), ASKED, true],
    [listing(["q/a"]), ASKED, true],
    [listing(["p/a"]), { ...ASKED, after: "p/a" }, true],
    [listing(["p/a", "p/b"]), { ...ASKED, most: 1 }, true],
    [listing([], true), ASKED, true],
    [listing(["p/a"]).replace("<Size>12</Size>", ""), ASKED, false],
    [listing(["p/a"]).replace("12</Size>", "-1</Size>"), ASKED, false],
    [listing(["p/a"]).replace(DATE, "yesterday"), ASKED, false],
    [listing(["p/a"]).replace("<IsTruncated>false</IsTruncated>", ""), ASKED, false],
    [listing(["p/%zz"], false, (key) => key), ASKED, false],
    ["<Error><Code>SlowDown</Code></Error>", ASKED, false],
    ["", ASKED, false],
  ];
  for (const [text, asked, isUnordered] of refused) {
    const error = assertThrows(() => read(text, asked), Refused);
    assertEquals(error.promise, isUnordered ? "ordered_list" : "answers", text);
  }
});

const name = fc.stringMatching(/^p\/[!-~äø漢]{1,12}$/u);

Deno.test("property: keys survive, and a listing that was cut anywhere is refused", () => {
  fc.assert(fc.property(fc.uniqueArray(name), fc.nat(), (names, at) => {
    const keys = names.sort();
    const text = listing(keys);
    assertEquals(read(text, ASKED).objects.map(({ key }) => key), keys);
    assertThrows(() => read(text.slice(0, at % text.length), ASKED), Refused);
  }));
});

Deno.test("entities are decoded once; unknown ones and other syntax are refused", () => {
  const text = (inner: string) => childText(xmlIn(`<a><b>${inner}</b></a>`)!, "b");
  assertEquals(text("&amp;lt; &#228;&#xE4;&#x1F600; &apos;"), "&lt; ää😀 '");
  const refused = [
    "&nbsp;",
    "&",
    "& ",
    "&#0;",
    "&#xD800;",
    "&#x110000;",
    "&constructor;",
    "<![CDATA[x]]>",
    "<!-- x -->",
    "<?x?>",
    "x<c/>",
    "<c>",
    "</c>",
    "<c d=e/>",
  ];
  for (const inner of refused) {
    assertEquals(xmlIn(`<a><b>${inner}</b></a>`), undefined, inner);
  }
  for (const text of ['<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "<a/><b/>", "<a/>x"]) {
    assertEquals(xmlIn(text), undefined, text);
  }
});

Deno.test("property: any text survives in an element, and any text is read or refused", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (value) => {
    assertEquals(childText(xmlIn(`<a><b>${escaped(value)}</b></a>`)!, "b"), value);
    xmlIn(value);
  }));
});
