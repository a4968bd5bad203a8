/**
 * Extracts the text of a line's comment, without comment signs. Works on single lines and without a grammar, for the
 * comment styles of common languages, so that comments are found in files of unknown languages.
 */

/** A comment's text and its position in the line. */
export interface LineRemark {
  text: string;
  /** The number of blanks between the comment's sign and the text; a tab counts as two. */
  indent: number;
  /**
   * `whole`: the line is only the remark. `body`: the remark is at the start of a body, as after the brace of `f() {`.
   * `inside`: the line is inside a block comment. `trailing`: the remark follows code. `bare`: text without a comment sign,
   * but with brackets or dots like a remark.
   */
  place: "whole" | "body" | "inside" | "trailing" | "bare";
}

/** Enclosing comment signs, the longer first if one begins another. */
const ENCLOSING: readonly (readonly [string, string])[] = [
  ["{/*", "*/}"],
  ["{{!--", "--}}"],
  ["{{/*", "*/}}"],
  ["<!--", "-->"],
  ["<%--", "--%>"],
  ["<%#", "%>"],
  ["--[[", "]]"],
  ["/**", "*/"],
  ["/*", "*/"],
  ["(*", "*)"],
  ["{-", "-}"],
  ["{#", "#}"],
  ["<#", "#>"],
  ["#|", "|#"],
  ["@*", "*@"],
  ['"""', '"""'],
  ["'''", "'''"],
];

/** Comment signs at the start of a comment that ends with the line. */
const LEADING = /^(?:\/\/[\/!]*|#+!?|--+|;+|%+|!+|"(?=\s*\.\.\.)|REM\b|dnl\b|::|\.\.(?=\s))/i;
const VISUAL_BASIC = /\.(?:vb|vbs|bas|cls|frm)$/i;
/** Files of prose, in which `#` begins a heading. */
const PROSE = /\.(?:md|markdown|mdx|rst|adoc|txt|text)$/i;

/** The remark of `line`, of a file called `fileName`. Returns undefined if it has none. */
export function lineRemark(line: string, fileName: string): LineRemark | undefined {
  const text = line.trim();
  if (text === "") return undefined;
  const prose = PROSE.test(fileName);
  for (const [open, close] of ENCLOSING) {
    if (!text.startsWith(open)) continue;
    const end = text.lastIndexOf(close);
    const closed = end >= open.length;
    const inner = closed ? text.slice(open.length, end) : text.slice(open.length);
    const after = closed ? text.slice(end + close.length).trim() : "";
    if (after === "" || /^[\])},;]*$/.test(after)) return remark(inner, "whole");
  }
  if (!prose) {
    const leading = LEADING.exec(text) ?? (VISUAL_BASIC.test(fileName) ? /^'/.exec(text) : null);
    if (leading !== null) return remark(text.slice(leading[0].length), "whole");
    if (/^\*(?!\/)\s/.test(text)) return remark(text.slice(1), "inside");
    const trailing = trailingRemark(text);
    if (trailing !== undefined) return trailing;
  }
  const bare = prose ? text.replace(/^[*_]+(?=[[(.…])|(?<=[\]).…])[*_]+$/g, "") : text;
  if (
    /^(?:\[[^\]]* [^\]]*\]|\([^)]* [^)]*\)|<[^>]* [^>]*>|\{\{?[^}]* [^}]*\}\}?|[（【[(][\u0080-\uffff]+[）】\])])$/
      .test(bare)
  ) {
    return remark(bare, "bare");
  }
  if (/^(?:\.{3,}|…+)\s*[\p{L}\w[(]/u.test(bare) && /[\s\u0080-\uffff]/.test(bare)) {
    return remark(bare, "bare");
  }
  // `[truncated]`, `...[truncated]`: a bracketed word, without a space.
  if (
    /^(?:\.{3,}|…)?[[(<](?:truncated|omitted|elided|snip|snipped|clipped|unchanged|continued)[\])>](?:\.{3,}|…)?$/i
      .test(text)
  ) {
    return remark(text, "bare");
  }
  return undefined;
}

/** A string, an apostrophe inside a word not being a quote, or the sign of a comment after code. */
const STRING_OR_SIGN = /(["`]|(?<!\w)')(?:\\[^]|(?!\1)[^\\])*\1?|\/\*|<!--|(?<!:)\/\/|(?<=\s)(?:#|-- )/g;

/** The comment after code, found outside of quotes. */
function trailingRemark(text: string): LineRemark | undefined {
  for (const { 0: sign, 1: quote, index } of text.matchAll(STRING_OR_SIGN)) {
    if (quote !== undefined) continue;
    if (sign !== "/*" && sign !== "<!--") {
      const place = opensBody(text.slice(0, index)) ? "body" : "trailing";
      return remark(text.slice(index).replace(LEADING, ""), place);
    }
    const enclosed = enclosedRemark(text, index, sign, sign === "/*" ? "*/" : "-->");
    if (enclosed !== undefined) return enclosed;
  }
  return undefined;
}

function enclosedRemark(text: string, at: number, open: string, close: string): LineRemark | undefined {
  const end = text.indexOf(close, at + open.length);
  if (end === -1) return undefined;
  const after = text.slice(end + close.length).trim();
  const before = text.slice(0, at).trimEnd();
  const alone = /^(?:[\])};,]*|<\/.*)$/.test(after) && (opensBody(before) || before.endsWith(">"));
  return remark(text.slice(at + open.length, end), alone ? "body" : "trailing");
}

function remark(raw: string, place: LineRemark["place"]): LineRemark {
  const blanks = /^\s*/.exec(raw)?.[0] ?? "";
  return { text: raw.trim(), indent: blanks.replaceAll("\t", "  ").length, place };
}

function opensBody(before: string): boolean {
  return /[{([:]\s*$/.test(before) || /(?:=>|\b(?:then|do|begin))\s*$/.test(before);
}
