/**
 * The memory of the line kernel: addresses, sizes in bytes, and bounds. `scripts/build_kernel.ts` puts them before
 * `line_kernel.as.ts` as constants of the same names, so they are written once for both languages. What is used at the same
 * time is close together: the runtime counts all of the memory before it collects garbage.
 */

const STATE = 5120;
const SHAPES = 0xa6000;
const SHAPE_SIZE = 20;
const KINDS = 0xb0000;
const KIND_SIZE = 16;
const FIELD_SIZE = 416;
const MAX_FIELDS = 24;
/** The window has 65536 bytes, and some behind them; the masks of each 64 are at this distance. */
const WINDOW = 0x250000;
const MASKS = 0x11000;
const LOOKS = WINDOW + 2 * MASKS;
/** Of the counts of words, sizes and values in a field. */
const NEXT_AT = 8 + MAX_FIELDS * FIELD_SIZE;

export const LAYOUT = {
  SCRATCH: 4096,
  /** The bytes that most lines have before what they say, with a 0 for any digit; see line_prefix.ts. */
  PREFIX: 4976,
  MAX_PREFIX: 112,

  // Between calls: the number of the last line, shapes, kinds, lines that were reported, those of the last walk, how many of a
  // kind are reported, lines that may be headings, the two that `tally` found, whether a line may say that something
  // passed, whether comparing whole lines pays: how many were familiar, less twice those that were not, and the bytes of the
  // prefix.
  LINE: STATE,
  SHAPE_COUNT: STATE + 4,
  KIND_COUNT: STATE + 8,
  REPORTED: STATE + 12,
  RECORD_COUNT: STATE + 16,
  MAX_OF_KIND: STATE + 20,
  MARKED_COUNT: STATE + 24,
  TALLIED: STATE + 32,
  PASSES: STATE + 72,
  BALANCE: STATE + 76,
  PREFIX_LENGTH: STATE + 80,

  /** A line to be judged: its number, start and end, kind, flags, how many signs, chars before its body, and the signs. */
  RECORDS: 6144,
  RECORD_SIZE: 176,
  MAX_RECORDS: 256,
  /** A sign: where it starts and ends, and its hash. */
  SIGN_SIZE: 12,
  MAX_SIGNS: 12,

  /** How many bytes each of the first lines has before its body, and one more: a byte a line, 0 if it was not walked. */
  BODIES: 0xd000,
  MAX_BODIES: 8191,

  STEMS_FOUND: 0x10000,
  MAX_STEMS: 28672,
  SIGN_TABLE: 0x37000,
  SIGN_SLOTS: 1024,
  STEMS: 0x38000,
  SAYINGS: 0x30000,
  STEM_LOOKS: 0x34000,
  SHAPE_SLOTS: 0x40000,
  KIND_SLOTS: 0x44000,
  TALLY: 0x84000,
  LEADS: 0xa4000,

  /** A shape: its hash, its lead's, the lines that have it, the first one, and its fields. */
  SHAPES,
  SHAPE_SIZE,
  MAX_ENTRIES: 2047,

  /** A kind: its hash, the lines, the first one, and its rank, which watch_content.ts sets. */
  KINDS,
  KIND_SIZE,
  MAX_KINDS: 0x7fff,

  /** Two numbers of 16 bits a line: its shape; its kind, with the flag that it may say that something passed. */
  LINES: 0x130000,
  MAX_LINES: 200_000,
  MAY_PASS: 0x8000,

  /** The first lines that may be headings, and their forms. */
  MARKED: 0x1f4000,
  MAX_MARKED: 1024,

  /** Of a shape, its number and whether some lines were passed over, then its fields, and the shapes that follow it. */
  FIELDS: 0x1f6000,
  FIELD_SHAPES: 32,
  MAX_FIELDS,
  FIELD_SIZE,
  NEXT_AT,
  FIELDS_SIZE: NEXT_AT + FIELD_SIZE,
  /** Of a field: how many words and values, the words with their lines, sizes of numbers, and values. */
  MAX_WORDS: 12,
  WORD_SLOTS: 16,
  SIZES_AT: 136,
  VALUES_AT: 392,
  MAX_VALUES: 3,

  WINDOW,
  WINDOW_BYTES: 65_536,
  MASKS,
  /** A look: its hash, how many walked lines of it were of one shape and kind (negative if two were not), and the two, as for a line. */
  LOOKS,
  LOOK_SIZE: 16,
  MEMORY_BYTES: LOOKS + 16 * 16_384,
} as const;
