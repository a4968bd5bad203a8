import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { openStore, putBytes, readWhole } from "../../fd/mod.ts";
import { anyContent, anyPageSize } from "../../tests/contents.ts";
import { previewOf } from "./preview_parts.ts";

const SLICE_KINDS = ["page", "head", "tail", "both", "none"] as const;

/** The texts of the parts, the lines, and how to read on. */
async function shownOf(
  content: string,
  preview: typeof SLICE_KINDS[number],
  previewChars: number,
  pageSize = 4000,
) {
  const directory = Deno.makeTempDirSync();
  try {
    const store = openStore(directory);
    const entry = putBytes(store, new TextEncoder().encode(content), { source: "test", pageSize });
    const { parts, lines, truncated, readOn } = await previewOf({ store, entry }, preview, previewChars);
    const texts = parts.map(({ body }) => new TextDecoder().decode(readWhole(body)));
    return { texts, lines, truncated, readOn };
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

Deno.test("the preview `page` is page 1, whatever the number of preview chars", async () => {
  assertEquals(await shownOf("ab\ncd\nef", "page", 1, 4), {
    texts: ["ab\n"],
    lines: "1-1",
    truncated: false,
    readOn: { start: 2 },
  });
  assertEquals(await shownOf("", "page", 1), {
    texts: [""],
    lines: "0-0",
    truncated: false,
    readOn: undefined,
  });
});

Deno.test("a line that does not fit is cut, and the next read is in chars", async () => {
  assertEquals(await shownOf("abcdefghij\nk\n", "head", 4, 5), {
    texts: ["abcd"],
    lines: "1-1",
    truncated: true,
    readOn: { mode: "char", start: 4, count: 5 },
  });
});

Deno.test("the preview `both` is a head and a tail of whole lines, and the next read ends before the tail", async () => {
  assertEquals(await shownOf("a\nb\nc\nd\ne\nf\n", "both", 8), {
    texts: ["a\nb\n", "e\nf\n"],
    lines: "1-2,5-6",
    truncated: false,
    readOn: { mode: "line", start: 3, count: 2 },
  });
});

Deno.test("head and tail are the ends of the content, at most as long as asked, and cut a line only if it is the only one", () => {
  const content = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\n", "\t"), maxLength: 60 });
  return fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 1, max: 30 }), async (written, previewChars) => {
      const charCount = Array.from(written).length;
      const [head = ""] = (await shownOf(written, "head", previewChars)).texts;
      const [tail = ""] = (await shownOf(written, "tail", previewChars)).texts;
      assertEquals([written.startsWith(head), written.endsWith(tail)], [true, true]);
      if (charCount <= previewChars) return assertEquals([head, tail], [written, written]);

      const firstChars = Array.from(written).slice(0, previewChars).join("");
      const afterThem = written.slice(firstChars.length);
      const isLineEnd = firstChars.endsWith("\n") || afterThem === "";
      const cut = firstChars.lastIndexOf("\n") + 1;
      assertEquals(head, isLineEnd || cut === 0 ? firstChars : firstChars.slice(0, cut));

      const lastChars = Array.from(written).slice(-previewChars).join("");
      const beforeThem = written.slice(0, written.length - lastChars.length);
      const start = lastChars.indexOf("\n") + 1;
      const isWhole = beforeThem.endsWith("\n") || start === 0 || start === lastChars.length;
      assertEquals(tail, isWhole ? lastChars : lastChars.slice(start));
    }),
    { numRuns: 80 },
  );
});

Deno.test("a preview is the same from memory and from the disk", async () => {
  const directory = Deno.makeTempDirSync();
  try {
    const store = openStore(directory);
    await fc.assert(
      fc.asyncProperty(
        anyContent,
        anyPageSize,
        fc.constantFrom(...SLICE_KINDS),
        fc.nat(9000),
        async (bytes, pageSize, preview, chars) => {
          const content = bytes.subarray(0, 32_768);
          const entry = putBytes(store, content, { source: "test", pageSize });
          const shown = async (inMemory: Uint8Array | undefined) => {
            const { parts, ...rest } = await previewOf({ store, entry, bytes: inMemory }, preview, chars + 1);
            return { ...rest, parts: parts.map(({ lines, body }) => [lines, readWhole(body)]) };
          };
          assertEquals(await shown(content), await shown(undefined));
        },
      ),
    );
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
