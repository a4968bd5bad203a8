/** Recognizes the kind of content by its first bytes. If several kinds are possible, the kind is unknown. */

const LINE_FEED = 0x0a;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const HASH = 0x23;

/** The length of the byte order mark at the start: 3 or 0. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Whether content may be JSON: it starts with an object or a list, or most of its first lines are objects. */
export function looksLikeJson(bytes: Uint8Array): boolean {
  let at = skipSpace(bytes, markLength(bytes));
  if (bytes[at] === BRACE) {
    at = skipSpace(bytes, at + 1);
    return bytes[at] === 0x22 || bytes[at] === 0x7d;
  }
  if (bytes[at] === BRACKET) return mayBeInList(bytes[skipSpace(bytes, at + 1)]);
  return startsWithLines(bytes);
}

/** Whether a value, or the end of an empty list, can start with this byte. */
function mayBeInList(byte: number | undefined): boolean {
  return byte !== undefined &&
    (byte === BRACE || byte === BRACKET || byte === 0x22 || byte === 0x5d || byte === 0x2d ||
      byte >= 0x30 && byte <= 0x39 || byte === 0x74 || byte === 0x66 || byte === 0x6e);
}

/** Whether at least three of the first lines are objects, and at most one of four is something else. */
export function startsWithLines(bytes: Uint8Array): boolean {
  let objects = 0;
  let others = 0;
  for (let from = markLength(bytes); from < bytes.length;) {
    const to = bytes.indexOf(LINE_FEED, from);
    if (to < 0) break;
    const last = bytes[to - 1] === 0x0d ? to - 2 : to - 1;
    if (bytes[from] === BRACE && bytes[from + 1] === 0x22 && bytes[last] === 0x7d) objects++;
    else if (last >= from && ++others > 2 && others > objects) return false;
    from = to + 1;
  }
  return objects >= 3 && others * 3 <= objects;
}

/** Whether content may be binary. Text with a few NULs is recognized later. */
export function looksBinary(bytes: Uint8Array): boolean {
  return bytes.indexOf(0) >= 0 || startsWith(bytes, "%PDF-");
}

/** Whether content may be a diff, or the output of `git log` or `git show`. */
export function looksLikeDiff(bytes: Uint8Array): boolean {
  return startsWith(bytes, "diff -") || startsWith(bytes, "commit ") || startsWith(bytes, "--- ");
}

const MAX_HEADING_BYTES = 1024;

/** Whether the first line, the last comment or the line after it may be the heading of a table. */
export function looksLikeTable(bytes: Uint8Array): boolean {
  let from = 0;
  let next = lineAfter(bytes, 0);
  for (; bytes[from] === HASH && bytes[next] === HASH; next = lineAfter(bytes, next)) from = next;
  return hasDelimiters(bytes, from) || bytes[from] === HASH && hasDelimiters(bytes, next);
}

/** Whether a line has two delimiters of one kind, and another line follows. */
function hasDelimiters(bytes: Uint8Array, from: number): boolean {
  let commas = 0;
  let tabs = 0;
  let semicolons = 0;
  let bars = 0;
  for (let at = from; at < from + MAX_HEADING_BYTES && at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === LINE_FEED) return commas > 1 || tabs > 1 || semicolons > 1 || bars > 1;
    if (byte === 0x2c) commas++;
    else if (byte === 0x09) tabs++;
    else if (byte === 0x3b) semicolons++;
    else if (byte === 0x7c) bars++;
  }
  return false;
}

/** Whether content may be XML: it starts with a tag of a letter, or `<?xml`. HTML is not outlined. */
export function looksLikeXml(bytes: Uint8Array): boolean {
  const at = skipSpace(bytes, markLength(bytes));
  const byte = bytes[at + 1]!;
  const isTag = bytes[at] === 0x3c && (byte === 0x3f || byte === 0x21 || byte >= 0x41 && byte <= 0x7a);
  return isTag && !/^<(?:!doctype )?html/i.test(String.fromCharCode(...bytes.subarray(at, at + 20)));
}

/**
 * Whether content may be YAML or records: its first line but comments is `---`, a status of HTTP, a list item, `key:` or
 * `key=` without a space after it.
 */
export function looksLikeYaml(bytes: Uint8Array): boolean {
  let at = markLength(bytes);
  while (bytes[at] === HASH || bytes[at] === LINE_FEED) at = lineAfter(bytes, at);
  if (["---", "- ", "HTTP/"].some((start) => startsWith(bytes, start, at))) return true;
  let isAssigned = false;
  for (let byte = bytes[at]; byte !== undefined && byte !== LINE_FEED; byte = bytes[++at]) {
    if (byte === 0x3a && !isAssigned) return bytes[at + 1]! <= 0x20;
    if (byte === 0x3d) isAssigned = true;
    else if (byte === 0x20) return false;
  }
  return isAssigned;
}

function lineAfter(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(LINE_FEED, from) + 1 || bytes.length;
}

function startsWith(bytes: Uint8Array, text: string, from = 0): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[from + at] !== text.charCodeAt(at)) return false;
  return true;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === LINE_FEED || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}
