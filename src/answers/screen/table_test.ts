import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { textCells } from "./char_width.ts";
import { inkOf } from "./ink.ts";
import { type Column, tableText } from "./table.ts";

interface Row {
  fd: string;
  size: string;
  lines: string;
  what: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "FD", cell: ({ fd }) => fd },
  { title: "SIZE", cell: ({ size }) => size, isRight: true, rank: 2, most: 10 },
  { title: "LINES", cell: ({ lines }) => lines, isRight: true, rank: 1, most: 10 },
  { title: "WHAT", cell: ({ what }) => what },
];

const screenOf = (columns: number) => ({ ink: inkOf(undefined), columns });
const ROW: Row = { fd: "fd:1", size: "1.0 KiB", lines: "12", what: "make -j4 all the things there are" };

Deno.test("a table is aligned, and its last column takes what is left", () => {
  assertEquals(
    tableText([ROW, { ...ROW, fd: "fd:12", size: "5 B", what: "漢字" }], COLUMNS, screenOf(40)),
    "FD        SIZE  LINES  WHAT\n" +
      "fd:1   1.0 KiB     12  make -j4 all the…\n" +
      "fd:12      5 B     12  漢字\n",
  );
});

Deno.test("a narrow table loses the columns that matter least, and a column without text is not there", () => {
  assertEquals(tableText([ROW], COLUMNS, screenOf(24)), "FD       SIZE  WHAT\nfd:1  1.0 KiB  make -j4…\n");
  assertEquals(tableText([ROW], COLUMNS, screenOf(20)), "FD    WHAT\nfd:1  make -j4 all …\n");
  assertEquals(
    tableText([{ ...ROW, lines: "", size: "" }], COLUMNS, screenOf(Infinity)),
    `FD    WHAT\nfd:1  ${ROW.what}\n`,
  );
});

Deno.test("no row is wider than the screen, whatever the cells are", () => {
  const cell = fc.string({ unit: "grapheme", maxLength: 60 });
  const row = fc.record({ fd: fc.nat(99_999).map((id) => `fd:${id}`), size: cell, lines: cell, what: cell });
  fc.assert(fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 20, max: 200 }), (rows, width) => {
    for (const line of tableText(rows, COLUMNS, screenOf(width)).split("\n")) {
      assert(textCells(line) <= width, `${textCells(line)} cells of ${width}: ${line}`);
    }
  }));
});
