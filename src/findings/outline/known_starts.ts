/**
 * Recognizes the kind of content by its first bytes, as text of a char a byte. All content that is previewed comes here, mostly
 * in a process of its own: a pattern that is compiled for it costs more than what is asked of the text before.
 */

/** The length of the byte order mark at the start: 3 or 0. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Whether content may be JSON: it starts with an object or a list, or most of its first lines are objects. */
export function looksLikeJson(first: string): boolean {
  const [, opening, next = ""] = "\xef \n\r\t[{".includes(first.charAt(0))
    ? /^(?:\xef\xbb\xbf)?[ \n\r\t]*([[{])[ \n\r\t]*([^]?)/.exec(first) ?? []
    : [];
  if (opening === undefined) return first.includes('{"') && startsWithLines(first);
  return (opening === "{" ? /["}]/ : /[[{"\]\d\-tfn]/).test(next);
}

/** Whether at least three of the first lines are objects, and at most one of four is something else. */
export function startsWithLines(first: string): boolean {
  let objects = 0;
  let others = 0;
  for (const line of first.replace(/^\xef\xbb\xbf/, "").split("\n").slice(0, -1)) {
    if (/^\{"[^]*\}\r?$/.test(line)) objects++;
    else if (!/^\r?$/.test(line) && ++others > 2 && others > objects) return false;
  }
  return objects >= 3 && others * 3 <= objects;
}

/** Content that may be a diff, or the output of `git log` or `git show`. */
export const DIFF_START = /^(?:diff -|commit |--- )/;

/** Content that may be XML: it starts with a tag of a letter, or `<?xml`. HTML and fdtool's answers are not outlined. */
export const XML_START = /^(?:\xef\xbb\xbf)?[ \n\r\t]*<(?!(?:!doctype )?html|fd_\w+ )[?!A-z]/i;

/**
 * Content that may be YAML or records: its first line but comments is `---`, a status of HTTP, a list item, `key:` or `key=`
 * without a space after it.
 */
const YAML_START =
  /^(?:\xef\xbb\xbf)?(?:(?:#[^\n]*)?\n)*(?!#|\xef\xbb\xbf#)(?:---|- |HTTP\/|[^:= \n]*(?::[\0- ]|=[^ \n]*(?:\n|$)))/;

/** Whether content may be YAML or records, which most first words rule out. */
export function looksLikeYaml(first: string): boolean {
  const word = first.slice(0, first.indexOf(" ") + 1);
  return (word === "" || /^(?:[#\xef-]|HTTP\/)|[^ -\xff]|: $/.test(word)) && YAML_START.test(first);
}

/** Whether the first line, the last comment or the line after it, has two delimiters of one kind, as the heading of a table. */
export function looksLikeTable(first: string): boolean {
  const lastComment = first.startsWith("#") ? first.replace(/^(?:#[^\n]*\n(?=#))+/, "") : first;
  // Of a line that ends, since another follows.
  const lines = lastComment.split("\n", lastComment.startsWith("#") ? 3 : 2).slice(0, -1);
  for (const line of lines) if (line.length < 1024 && /([,\t;|])[^]*\1/.test(line)) return true;
  return false;
}

/** Bytes that are looked at for a table in aligned columns, and for a listing. */
const ALIGNED_BYTES = 2048;
const LISTED_BYTES = 1536;

/** Whether one of the first lines may be the heading of a table in aligned columns, or the rule below it. */
export function looksAligned(first: string): boolean {
  const start = first.slice(0, ALIGNED_BYTES);
  if (!start.includes("  ") && !start.includes("-+-") && !start.includes("--")) return false;
  return /^(?:[ |]*[-=+]{2,}[ |+-]+[-=]{2}[-=+| ]*$|[ \xe2\x97\x8f]*[A-Z%|]\S*(?: +[A-Z%]\S*){2})/m
    .test(start);
}

/** How the lines of a listing start, or what they are; see `listing_forms.ts`. */
const LISTED =
  /^(?:[bcdlps-][r-][w-]|(?! {2})[ MADRCTU?!]{2} \S|[ACDMRTUX]\d*\t|[\d.-]+[KMGTP]?\t|\d{4}-\d\d-\d\d [\d:]+ +\d+ \S|(?:\S\[\d+m)?\t(?:\S\[\d+m)?(?:[a-z ]+: +)?\S+$| \S.* \| +[\dB]| *\d+ \S|\d{1,7}:(?!\d\d:)|[^\s:\d][^\s:]*:\d+(?:[:-](?!\d+:| ?(?:error|warning|note))|$)|[*|/\\ ]*[\da-f]{7,40} |[ |\xe2\x94\x82\xc2\xa0]*(?:\xe2\x94[\x9c\x94]|[+`|]-)|[^\s:/]+\/\S+ .*\]$|[^\s:]*[/.][^\s:]*$)/gm;
/** The directory whose names follow, as `ls -R` writes it. */
const LISTED_DIRECTORY = /^[^\s:]+:\n(?:total \S+\n)?\S+\n\S+\n/;

/** Whether content may be a listing: three of four of its first lines may be items. */
export function looksLikeListing(first: string): boolean {
  const lines = first.slice(0, LISTED_BYTES);
  let lineCount = 1;
  for (let at = lines.indexOf("\n"); at >= 0; at = lines.indexOf("\n", at + 1)) {
    if (lines[at + 1] !== "\n") lineCount++;
  }
  if (lineCount <= 4) return false;
  return (lines.match(LISTED)?.length ?? 0) * 4 >= lineCount * 3 || LISTED_DIRECTORY.test(lines);
}

/** Markdown: a heading, and an empty line below it. */
export const MARKDOWN_START = /^#{1,3} [^\n]*\n\r?\n/;
/** The start of a line of source code, or of one with its number before it. */
const SOURCE_LINE =
  /^(?: *\d+\t)?(?:#include |#!\/|(?:import|from|package|use|using|def|class|func|fn|function|export|module|namespace|interface|struct|describe)\b[ ({*])/m;
/** The ends of lines that source code has more of than other text, and the fewest lines of it. */
const CODE_ENDS = "{};,";
const MIN_SOURCE_LINES = 20;

/** Whether content may be Markdown, or source code by the starts or ends of its lines. */
export function looksLikeSource(first: string): boolean {
  if (MARKDOWN_START.test(first)) return true;
  let [lineCount, codeCount] = [0, 0];
  for (let at = first.indexOf("\n"); at >= 0; at = first.indexOf("\n", at + 1)) {
    if (at === 0 || first[at - 1] === "\n") continue;
    lineCount++;
    if (CODE_ENDS.includes(first[at - 1]!)) codeCount++;
  }
  return lineCount >= MIN_SOURCE_LINES && (codeCount * 3 >= lineCount || SOURCE_LINE.test(first));
}
