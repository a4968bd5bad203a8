/** @module */
/** Entry of the block index (FORMAT.md): what is known where a block of content starts. */
export interface BlockEntry {
  charsBefore: number;
  lineFeedsBefore: number;
  pageNumber: number;
  pageStart: number;
  blockSum: number;
  leadIn: number;
}
export interface ScanTotals {
  byteCount: number;
  charCount: number;
  lineFeedCount: number;
  lineCount: number;
  pageCount: number;
  /** The seal line's `sum` (FORMAT.md). */
  sum: number;
}
export interface TextScan {
  window(): Uint8Array;
  accept(byteLength: number): void;
  end(): ScanTotals;
}
export function startScan(_o: { pageSize: number; onEntry: (entry: BlockEntry) => void }): TextScan {
  throw new Error("not there yet");
}
