/** The bytes of control characters. */

/** 1 for each byte that is, or may begin, something to clean. */
export const ATTENTION = /* @__PURE__ */ attentionTable();

function attentionTable(): Uint8Array {
  const table = new Uint8Array(256).fill(1, 0, 0x20);
  table[0x09] = table[0x0a] = 0;
  table[0x7f] = table[0xc2] = 1;
  return table;
}

/** Whether the byte after C2 makes the two a control character. */
export function isSecondOfControl(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xe0) === 0x80;
}
