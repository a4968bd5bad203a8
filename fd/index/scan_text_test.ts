// Promise: a scan follows the rules (contract, Units), whatever the bytes, the read sizes and the counter; and block
// entries match FORMAT.md.

import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { anyChar, repeatedTo } from "../../tests/contents.ts";
import { blockSum } from "../bytes/block_sum.ts";
import type { BlockEntry } from "./block_entries.ts";
import { type ScanTotals, startScan } from "./scan_text.ts";

interface Scanned {
  totals: ScanTotals;
  entries: BlockEntry[];
}

/** Follows the contract literally and slowly: every char, page and block in turn. */
function scanByTheBook(bytes: Uint8Array, pageSize: number): Scanned {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const isOneChar = (from: number, to: number) => {
    const text = decoder.decode(bytes.subarray(from, to));
    return text.length <= 2 && [...text].length === 1;
  };
  const starts: number[] = [];
  for (let at = 0; at < bytes.length;) {
    starts.push(at);
    let end = at + 1;
    if (bytes[at]! >= 0x80) {
      for (let to = at + 2; to <= at + 4 && to <= bytes.length; to++) {
        if (isOneChar(at, to)) end = to;
      }
    }
    at = end;
  }
  const pageStarts = [0];
  for (let first = 0; starts.length - first > pageSize;) {
    let next = first + pageSize;
    for (let char = next; char > first; char--) {
      if (bytes[starts[char - 1]!] === 10) {
        next = char;
        break;
      }
    }
    pageStarts.push(starts[next]!);
    first = next;
  }
  const lineFeeds: number[] = [];
  const controlEnds: number[] = [];
  bytes.forEach((byte, at) => {
    if (byte === 10) lineFeeds.push(at);
    const isC1 = bytes[at - 1] === 0xc2 && byte >= 0x80 && byte < 0xa0;
    if (isC1 || byte === 0x7f || byte < 0x20 && byte !== 9 && byte !== 10) controlEnds.push(at + 1);
  });
  const entries: BlockEntry[] = [];
  let charsBefore = 0;
  let lineFeedsBefore = 0;
  let pageNumber = 1;
  for (let start = 0; start < bytes.length; start += 32_768) {
    while (charsBefore < starts.length && starts[charsBefore]! < start) charsBefore++;
    while (lineFeedsBefore < lineFeeds.length && lineFeeds[lineFeedsBefore]! < start) lineFeedsBefore++;
    while (pageNumber < pageStarts.length && pageStarts[pageNumber]! <= start) pageNumber++;
    entries.push({
      charsBefore,
      lineFeedsBefore,
      pageNumber,
      pageStart: pageStarts[pageNumber - 1]!,
      blockSum: blockSum(bytes.slice(start, start + 32_768)),
      leadIn: (starts[charsBefore] ?? bytes.length) - start,
      hasControls: controlEnds.some((end) => end > start && end <= start + 32_768),
    });
  }
  const sums = new DataView(new ArrayBuffer(entries.length * 4));
  entries.forEach((entry, block) => sums.setUint32(block * 4, entry.blockSum, true));
  const lastLineIsOpen = bytes.length > 0 && bytes[bytes.length - 1] !== 10;
  return {
    totals: {
      byteCount: bytes.length,
      charCount: starts.length,
      lineFeedCount: lineFeeds.length,
      lineCount: lineFeeds.length + (lastLineIsOpen ? 1 : 0),
      pageCount: pageStarts.length,
      sum: blockSum(new Uint8Array(sums.buffer)),
    },
    entries,
  };
}

/** Scans `bytes` in reads of the given sizes, repeated cyclically. */
function scan(bytes: Uint8Array, pageSize: number, readSizes: number[], kernelFrom: number): Scanned {
  const entries: BlockEntry[] = [];
  const pass = startScan({ pageSize, kernelFrom, onEntry: (entry) => entries.push({ ...entry }) });
  let at = 0;
  for (let read = 0; at < bytes.length; read++) {
    const size = Math.min(readSizes[read % readSizes.length]!, bytes.length - at);
    pass.window().set(bytes.subarray(at, at + size));
    pass.accept(size);
    at += size;
  }
  return { totals: pass.end(), entries };
}

function assertScansByTheBook(bytes: Uint8Array, pageSize: number, readSizes: number[]): void {
  const wanted = scanByTheBook(bytes, pageSize);
  deepStrictEqual(scan(bytes, pageSize, readSizes, Infinity), wanted, "plain");
  deepStrictEqual(scan(bytes, pageSize, readSizes, 0), wanted, "kernel");
}

const encoder = new TextEncoder();

/** A piece of content. Joined pieces form words, lines, and truncated or nearly valid UTF-8 sequences. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 120 }).map((text) => encoder.encode(text)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom("\n", "\r\n", "\n\n\n", "a\n", "\0", "\ufeff").map((s) => encoder.encode(s)),
  },
  { weight: 3, arbitrary: fc.string({ unit: anyChar, maxLength: 90 }).map((text) => encoder.encode(text)) },
  { weight: 3, arbitrary: fc.constantFrom("漢字かな", "é", "😀😀", "Ωμέγα\n").map((s) => encoder.encode(s)) },
  {
    weight: 3,
    arbitrary: fc.array(
      fc.constantFrom(
        0x80,
        0x8f,
        0x90,
        0x9f,
        0xa0,
        0xbf,
        0xc1,
        0xc2,
        0xe0,
        0xe2,
        0xed,
        0xef,
        0xf0,
        0xf1,
        0xf4,
        0xf5,
      ),
      { maxLength: 12 },
    ).map((list) => Uint8Array.from(list)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);

/** Pieces with repeat counts. */
const pieces = fc.array(fc.tuple(piece, fc.constantFrom(1, 1, 1, 2, 7, 40)), { maxLength: 40, size: "max" });

function join(list: [Uint8Array, number][], limit: number): Uint8Array {
  const bytes: number[] = [];
  for (const [part, times] of list) {
    for (let time = 0; time < times && bytes.length < limit; time++) bytes.push(...part);
  }
  return Uint8Array.from(bytes.slice(0, limit));
}

const pageSizes = fc.oneof(
  fc.integer({ min: 1, max: 20 }),
  fc.integer({ min: 1, max: 600 }),
  fc.constantFrom(4000, 10_000),
);
const readSizes = fc.oneof(
  fc.constant<number[]>([65_536]),
  fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 700 }),
      fc.integer({ min: 1, max: 65_536 }),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
);

Deno.test("small content of any kind is scanned as specified", () => {
  fc.assert(
    fc.property(pieces, pageSizes, readSizes, (list, pageSize, sizes) => {
      assertScansByTheBook(join(list, 3000), pageSize, sizes);
    }),
    { numRuns: 600 },
  );
});

Deno.test("a last stride with as many stray continuation bytes as it is short is scanned as specified", () => {
  for (let strayCount = 1; strayCount <= 128; strayCount++) {
    const bytes = new Uint8Array(512 - strayCount).fill(0x61);
    for (let at = 6; at < bytes.length; at += 40) bytes[at] = 10;
    bytes.fill(0x80, 256, 256 + strayCount);
    for (const pageSize of [1, 7, 45, 300]) assertScansByTheBook(bytes, pageSize, [65_536]);
  }
});

Deno.test("content of several blocks is scanned as specified", () => {
  fc.assert(
    fc.property(
      pieces,
      fc.integer({ min: 1, max: 200_000 }),
      pageSizes,
      readSizes,
      (list, length, pageSize, sizes) => {
        const pattern = join(list, 20_000);
        if (pattern.length === 0) return;
        const bytes = repeatedTo(length, pattern);
        const reads = sizes.map((size) => Math.max(size, 50));
        assertScansByTheBook(bytes, pageSize, reads);
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("empty content has one empty page and no lines", () => {
  assertScansByTheBook(new Uint8Array(), 4000, [1]);
});

Deno.test("lines are counted as in the contract's examples", () => {
  for (const [text, lineCount] of [["a\nb\n", 2], ["a\nb", 2], ["\n", 1], ["", 0]] as const) {
    const { totals } = scan(encoder.encode(text), 4000, [65_536], Infinity);
    deepStrictEqual([text, totals.lineCount], [text, lineCount]);
  }
});

Deno.test("a sequence across the edge of a stride, block or window is counted once", () => {
  for (const edge of [256, 512, 32_768, 65_536]) {
    for (const straddler of ["é", "漢", "😀", "\n", "\r\n", "\ufeff"].map((text) => encoder.encode(text))) {
      for (let before = 0; before <= straddler.length; before++) {
        const bytes = new Uint8Array(edge + 300).fill(0x61);
        bytes.set(straddler, edge - before);
        assertScansByTheBook(bytes, 100, [65_536]);
        assertScansByTheBook(bytes, edge, [65_536]);
        assertScansByTheBook(bytes.subarray(0, edge + 1), edge - 1, [edge, 1]);
      }
    }
  }
});

Deno.test("an ill-formed sequence at an edge is cut like the decoder cuts it", () => {
  const leads = [
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
    [0xe0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xc2],
  ];
  for (const edge of [256, 32_768]) {
    for (const lead of leads) {
      for (const after of [[0x80, 0x80, 0x80], [0x0a], [0xe2, 0x82, 0xac], []]) {
        for (let before = 0; before <= lead.length + after.length; before++) {
          const bytes = new Uint8Array(edge + 8).fill(0x61).fill(0xc3, edge - 20);
          bytes.set([...lead, ...after], edge - before);
          assertScansByTheBook(bytes, 1000, [65_536]);
          assertScansByTheBook(bytes.subarray(0, edge), 7, [65_536]);
        }
      }
    }
  }
});

Deno.test("a page much longer than the window ends correctly", () => {
  const bytes = new Uint8Array(300_000).fill(0x61);
  bytes[17] = 10;
  for (const pageSize of [18, 100_000, 280_000, 299_999, 300_000, 16_777_216]) {
    assertScansByTheBook(bytes, pageSize, [65_536]);
  }
});

Deno.test("entries wait until the page they start in is known", () => {
  const bytes = new Uint8Array(100_000).fill(0x61);
  const entries: BlockEntry[] = [];
  const pass = startScan({ pageSize: 90_000, onEntry: (entry) => entries.push(entry) });
  const givenAfter: number[] = [];
  for (let at = 0; at < bytes.length; at += 10_000) {
    pass.window().set(bytes.subarray(at, at + 10_000));
    pass.accept(10_000);
    givenAfter.push(entries.length);
  }
  pass.end();
  // Blocks 0 to 2 start in page 1, whose end is known once char 90,001 arrived.
  deepStrictEqual(givenAfter, [0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
  deepStrictEqual(entries.length, 4);
});

Deno.test("the plain path counts the same if WebAssembly is disabled", async () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => at % 97 === 0 ? 10 : at % 251);
  const program = `
    import { startScan } from "${import.meta.resolve("./scan_text.ts")}";
    const pass = startScan({ pageSize: 4000, onEntry() {}, kernelFrom: 0 });
    for (let at = 0; at < 200_000; at += 50_000) {
      const window = pass.window();
      for (let byte = 0; byte < 50_000; byte++) window[byte] = (at + byte) % 97 === 0 ? 10 : (at + byte) % 251;
      pass.accept(50_000);
    }
    console.log(JSON.stringify([typeof WebAssembly, pass.end()]));
  `;
  const args = ["eval", "--no-check", "--v8-flags=--jitless", program];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  const decoder = new TextDecoder();
  const { totals } = scan(bytes, 4000, [50_000], 0);
  deepStrictEqual(
    decoder.decode(stdout),
    JSON.stringify(["undefined", totals]) + "\n",
    decoder.decode(stderr),
  );
});

Deno.test("counts beyond 32 bits are exact", () => {
  // One repeated window simulates content too large for a test, which the pass continues shortly before 2^32.
  const reads = 70_000;
  const readsBefore = 65_000;
  const byteOffset = readsBefore * 65_536;
  const pass = startScan({
    pageSize: 4000,
    onEntry: (entry) => last = entry,
    from: {
      byteOffset,
      charCount: byteOffset,
      lineFeedCount: readsBefore,
      pageNumber: 1,
      pageStart: byteOffset,
      charsBeforePage: byteOffset,
      bytesBefore: Uint8Array.of(0x61, 0x61, 10),
    },
  });
  let last: BlockEntry | undefined;
  pass.window().fill(0x61).fill(10, 65_535);
  for (let read = readsBefore; read < reads; read++) pass.accept(65_536);
  const totals = pass.end();
  deepStrictEqual(totals.byteCount, reads * 65_536);
  deepStrictEqual(totals.charCount, reads * 65_536);
  deepStrictEqual(totals.lineCount, reads);
  deepStrictEqual(last?.charsBefore, reads * 65_536 - 32_768);
  deepStrictEqual(last?.lineFeedsBefore, reads - 1);
});

Deno.test("a block starting near the end has a lead-in no longer than the content", () => {
  for (const kernelFrom of [0, Infinity]) {
    const entries: BlockEntry[] = [];
    const pass = startScan({ pageSize: 4000, kernelFrom, onEntry: (entry) => entries.push(entry) });
    const block = new Uint8Array(32_768).fill(0x80);
    block[32_767] = 0xf0;
    pass.window().set(block);
    pass.accept(block.length);
    pass.window()[0] = 0x90;
    pass.accept(1);
    pass.end();
    deepStrictEqual(entries.map(({ leadIn }) => leadIn), [0, 1]);
  }
});
