/**
 * Finds lines that replace omitted code ("// Rest of file remains unchanged"). A false alarm costs as much as a miss, so a
 * line counts only if its whole remark is such a phrase: words like "rest" or "existing" alone prove nothing. The rules:
 *
 * - the remark is normalised: dots, brackets and end marks are stripped, but remembered;
 * - the whole remark, not a part of it, must then match one of the phrases below;
 * - phrases that people also write about code that is shown ("other methods") count only with dots around them;
 * - a remark after code ("return state; // unchanged") is about that code, so it needs dots too.
 *
 * `placeholder_lines_test.ts` has the lines that the rules were tuned on.
 */

import { joinBytes } from "../../../fd/system.ts";
import type { ShownLine } from "../../calls/terms/write_faults.ts";
import { foreignKind, mayOmit } from "./foreign_placeholders.ts";
import { type LineRemark, lineRemark } from "./line_remark.ts";

/** Files of prose with sample code, and the lines around it. */
const PROSE = /\.(?:md|markdown|mdx|rst|adoc|asciidoc|txt|text)$/i;
const FENCE = /^\s*(?:```|~~~)|^-{4,}\s*$/;
/** Files in which lines may begin with rising numbers. */
const TABLES = /\.(?:[ct]sv|ya?ml|log|out|snap|golden|s|asm)$/i;
const DATA = /\.(?:json|jsonc|json5|webmanifest)$/i;

/** Longer lines are data, not remarks. */
const LONGEST_REMARK_CHARS = 300;

const LINE_END = /\r\n|\r|\n/;
const LF = 0x0a;
const PIECE_BYTES = 1_048_576;

/** A new content, and what it is compared with. */
interface NewContentText {
  /** All that the file will contain. */
  content: Iterable<Uint8Array>;
  /** The texts that are new, if the rest of the content is the file's: without a hint in them, nothing else is read. */
  added?: readonly Uint8Array[] | undefined;
  fileName: string;
  /** The current file. */
  before: Iterable<Uint8Array>;
}

/**
 * The placeholder lines of a new content that the current file does not have. Contents of any size are read in pieces,
 * and the current file only if lines were found.
 *
 * ```ts
 * import { findPlaceholders } from "./placeholder_lines.ts";
 * const content = [new TextEncoder().encode("const [first, ...rest] = items;\n// ... existing code ...\n")];
 * const found = findPlaceholders({ content, fileName: "a.js", before: [] });
 * if (found.length !== 1 || found[0]?.lineNumber !== 2) throw new Error();
 * ```
 */
export function findPlaceholders({ content, added, fileName, before }: NewContentText): ShownLine[] {
  const addedTexts = added && [...textsInPieces(added.flatMap((text) => [text, Uint8Array.of(LF)]))];
  if (addedTexts?.every((text) => !isHint(text) && !NUMBERED.test(text)) === true) return [];
  const isNew = addedTexts === undefined ? () => true : linesPartOf(addedTexts.join(""));
  const addedNumbers = addedTexts && new Set(addedTexts.flatMap((text) => numberedRun(text, fileName)));
  const found: (ShownLine & { kind: PlaceholderKind | "numbered" })[] = [];
  let lineCount = 0;
  for (const text of textsInPieces(content)) {
    const lines = text.split(LINE_END);
    const numbers = addedNumbers ?? new Set(numberedRun(text, fileName));
    const isHinted = isHint(text);
    let fenced = false;
    // Rules out much code before any other work.
    for (const [index, line] of isHinted || numbers.size > 0 ? lines.entries() : []) {
      if (PROSE.test(fileName) && FENCE.test(line)) fenced = !fenced;
      // Sample code in a text may omit things.
      const kind = numbers.has(line)
        ? "numbered"
        : fenced || !isNew(line)
        ? undefined
        : placeholderAt(lines, index, fileName);
      if (kind !== undefined) found.push({ lineNumber: lineCount + index + 1, text: line.trim(), kind });
    }
    lineCount += lines.at(-1) === "" ? lines.length - 1 : lines.length;
  }
  if (found.length === 0) return found;
  const sought = new Set(found.map((line) => line.text));
  const known = new Set<string>();
  let linesBefore = 0;
  let wasNumbered = false;
  for (const text of textsInPieces(before)) {
    const lines = text.split(LINE_END);
    for (const line of lines) if (sought.has(line.trim())) known.add(line.trim());
    linesBefore += lines.at(-1) === "" ? lines.length - 1 : lines.length;
    wasNumbered ||= numberedRun(text, fileName).length > 0;
  }
  const sampleCount = found.filter(({ kind }) => kind === "sample").length;
  const losesLines = lineCount - sampleCount < linesBefore;
  return found.filter(({ text, kind }) =>
    !known.has(text) && (kind === "sure" || (kind === "sample" ? losesLines : !wasNumbered))
  ).map(({ lineNumber, text }) => ({ lineNumber, text }));
}

/** More lines are not looked for in each line of a file. */
const MAX_PARTS = 50;

/** Whether a line may have a line of an added text, of which the first and last are parts of lines. */
function linesPartOf(added: string): (line: string) => boolean {
  const parts = new Set(added.split(LINE_END).map((line) => line.trim()).filter(isHint));
  if (parts.size > MAX_PARTS) return () => true;
  return (line) => [...parts].some((part) => line.includes(part));
}

/** A line with its number before it, as digests (`12:text`), `cat -n` and other tools show it. */
const NUMBERED = /^(?: *(\d+)(?:→| \| )| +(\d+)\t|(\d+):)/m;

/**
 * The first line of lines that were copied with their numbers, which rise by one: three or more, or all of the text.
 * A text of numbers as keys (`1: a`) is not one, nor is a part of prose or data.
 */
function numberedRun(text: string, fileName: string): string[] {
  if (!NUMBERED.test(text)) return [];
  const lines = text.split(LINE_END).filter((line) => line.trim() !== "" && !CUT_OFF.test(line));
  let first = 0;
  let last: number | undefined;
  for (const [index, line] of [...lines, ""].entries()) {
    const [, ...numbers] = NUMBERED.exec(line) ?? [];
    const number = numbers.find((each) => each !== undefined);
    if (number !== undefined && Number(number) - 1 === last) {
      last++;
      continue;
    }
    const run = lines.slice(first, index);
    const isWhole = run.length === lines.length && run.length > 1;
    // Between other lines, `1 | a` is a frame of a compiler's error.
    const isPart = run.length > 2 && !/^ *\d+ \|/.test(run[0]!) && !PROSE.test(fileName);
    const isCopied = isWhole || isPart && !TABLES.test(fileName);
    if (last !== undefined && isCopied && !run.every((each) => /^\d+: \S/.test(each))) return [run[0]!];
    first = index;
    last = number === undefined ? undefined : Number(number);
  }
  return [];
}

/** A text in pieces of about a megabyte, each ending with an LF except the last; a giant line is one piece. */
function* textsInPieces(chunks: Iterable<Uint8Array>): Iterable<string> {
  const decoder = new TextDecoder();
  let pending: Uint8Array[] = [];
  let byteCount = 0;
  for (const chunk of chunks) {
    const cut = byteCount + chunk.length >= PIECE_BYTES ? chunk.lastIndexOf(LF) + 1 : 0;
    if (cut > 0) {
      yield decoder.decode(joinBytes([...pending, chunk.subarray(0, cut)]));
      pending = [];
      byteCount = 0;
    }
    const rest = chunk.slice(cut);
    pending.push(rest);
    byteCount += rest.length;
  }
  yield decoder.decode(joinBytes(pending));
}

/**
 * How a line replaces omitted content. `sample`: as sample code does, by dots alone or "other options...", which counts
 * only if the file loses lines.
 */
type PlaceholderKind = "sure" | "sample";

/** The kind of the line at `index`, of a file called `fileName`. Returns undefined if it is not a placeholder. */
function placeholderAt(
  lines: readonly string[],
  index: number,
  fileName: string,
): PlaceholderKind | undefined {
  const line = lines[index]!;
  // Rules out nearly every line of code before any work.
  if (!isHint(line)) return undefined;
  if (CUT_OFF.test(line)) return "sure";
  if (line.length > LONGEST_REMARK_CHARS) return undefined;
  const kind = kindOf(line, fileName);
  const isPart = kind !== undefined && isPartOfComment(lines[index - 1], line, lines[index + 1], fileName);
  return isPart ? undefined : kind;
}

function kindOf(line: string, fileName: string): PlaceholderKind | undefined {
  const remark = DATA.test(fileName)
    ? dataRemark(line) ?? lineRemark(line, fileName)
    : lineRemark(line, fileName);
  if (remark === undefined) {
    return DOTS_AS_CODE.test(line) && NO_DOTS.test(fileName) ? "sample" : undefined;
  }
  const { core, dotsBefore, dotsAfter, bracketed } = normalise(remark.text);
  const isOwn = remark.place === "whole" || remark.place === "body";
  const foreign = remark.place === "trailing" || remark.place === "inside"
    ? undefined
    : foreignKind(core, { hasDots: dotsBefore, isMarked: dotsBefore || bracketed });
  if (foreign !== undefined && (isOwn || dotsBefore || bracketed)) return foreign;
  if (core === "") return isOwn && BARE_DOTS.test(remark.text) ? "sample" : undefined;
  const phrases = madePhrases ??= makePhrases();
  if ((dotsBefore || bracketed) && remark.place !== "inside" && phrases.notice.test(core)) return "sure";
  const plain = phrases.plain.test(core);
  const dotted = plain || phrases.dotted.test(core);
  const weak = dotsBefore && SURE_WORD.test(core) ? "sure" : "sample";
  if (STUB.test(line) && dotted) return "sample";
  if (isOwn) {
    if (plain) return dotsBefore || !BARE_WORD.test(remark.text) ? "sure" : "sample";
    if ((dotsBefore || dotsAfter || bracketed) && dotted) return weak;
    const isNamed = dotsBefore && dotsAfter &&
      (FEW_WORDS.test(core) || SPEAKS_OF_OMISSION.test(core));
    return isNamed ? weak : phrases.loose.test(core) ? "sample" : undefined;
  }
  if (remark.place !== "bare" || bracketed) {
    const isTag = remark.place === "bare" && plain && !PROSE.test(fileName);
    if (isTag || phrases.plainInside.test(core)) return "sure";
    if (bracketed && dotsAfter && dotted) return weak;
  }
  return dotsBefore && dotted ? weak : undefined;
}

/** The text of a line of JSON that is a comment, by its key or by dots. */
function dataRemark(line: string): LineRemark | undefined {
  const key = /^\s*"(?:\/\/ ?)?(\.\.\.[^"]*)"\s*:/.exec(line)?.[1];
  const value = /^\s*(?:"[_$]?(?:comments?|notes?|\/\/)"\s*:\s*"([^"\\]*)"|"((?:\.{3}|…)[^"\\]*)"),?\s*$/
    .exec(line);
  const text = key === "..." ? "... omitted" : key ?? value?.[1] ?? value?.[2];
  return text === undefined ? undefined : { text, indent: 0, place: "whole" };
}

/** Dots in place of statements, or of a body. */
const DOTS_AS_CODE = /^\s*(?:\.{3,}|…|⋯|⋮)[\s.…⋯⋮]*$|^[^"'`]*(?:[\w)]|=>)\s*\{\s*(?:\.{3}|…)\s*\}[;,)]*\s*$/;
/** Files in which no statement is only dots. */
const NO_DOTS =
  /\.(?:[cm]?[jt]sx?|java|kts?|go|rs|cs|swift|php|dart|scala|[ch]|cc|[ch]pp|mm?|json[c5]?|s?css|sql|vue|svelte|zig)$/i;
/** A statement that only fills a body. */
const STUB =
  /^\s*(?:pass|\.\.\.|…|(?:unimplemented|todo)!\([^)]*\)|raise NotImplementedError(?:\(\))?);?\s*(?:#|\/\/)/;

/**
 * Whether the line is part of a longer comment rather than a remark of its own: an indented line or bare dots (a
 * sample in a comment), or part of a sentence, if the line before lacks an end mark or the line after continues in
 * lower case. A line that starts with dots is a remark of its own.
 */
function isPartOfComment(
  before: string | undefined,
  line: string,
  after: string | undefined,
  fileName: string,
): boolean {
  const own = lineRemark(line, fileName);
  if (own === undefined || own.place === "trailing") return false;
  const above = neighbour(before, own, fileName);
  const below = neighbour(after, own, fileName);
  if (above === undefined && below === undefined) return false;
  if (BARE_DOTS.test(own.text) || own.indent >= 2 || /^(?:\/\/|#)/.test(own.text)) return true;
  if (/^\W*(?:\.\.|…)/.test(own.text)) return false;
  if (above !== undefined && /[\w,'")`-]$/.test(above)) return true;
  return below !== undefined && /^[a-z(]/.test(below) && /[\w,)]$/.test(own.text) &&
    kindOf(after ?? "", fileName) === undefined;
}

/** The remark of a neighbouring line, if both are in the same comment. */
function neighbour(line: string | undefined, own: LineRemark, fileName: string): string | undefined {
  if (line === undefined) return undefined;
  const remark = lineRemark(line, fileName);
  return remark !== undefined && remark.place === own.place && remark.text !== "" ? remark.text : undefined;
}

const SURE_WORD =
  /\b(?:existing|rest|remain\w*|unchanged|unmodified|untouched|omitted|elided|previous|original|same|truncated|skipped|not shown)\b/;
const BARE_WORD = /^(?:unchanged|unmodified|omitted|elided|snip|snipped|same as before)\.?$/i;
const BARE_DOTS = /^[[(<]? ?(?:\.{3,}|…|⋯|⋮)[\s.…⋯⋮]* ?[\])>]?$/;

const HINT =
  /\.\.\.|[…⋮⋯]|<fd_|\b(?:rest|remain\w*|existing|unchanged|unmodified|untouched|omitted|previous|original|same|snip\w*|truncated|goes here|elided|other|no (?:\w+ )?changes?|everything|anything|more lines|as[ -](?:is|before)|left out|skipped|showing|hidden|clipped|capped|end of file|not shown|lines? \d+|to continue|continue[sd])\b/i;

/** Whether a text may have a placeholder. */
const isHint = (text: string) => HINT.test(text) || mayOmit(text);

/** A gap of a digest (`… lines 2-40: 39 like "x"`), the frame of an answer, and a line of which only the beginning was shown. */
const CUT_OFF =
  /^(?:…|\.{3}) lines? \d+(?:-\d+)?(?:: [\d,]+ like ".*)?$|(?:\.{3}|…) ?\[(?:\d+ \w+ )?truncated\]$|^<response clipped>|^<fd_(?:content|result|matches) fd="fd:\d+" .*>$|^⋮(?:\.{3})?$/;

/** Strips dots, brackets, dashes and end marks from both sides repeatedly; makes it lower case with single spaces. */
function normalise(text: string) {
  let core = text.trim().toLowerCase().replace(/[…⋯⋮]|。{3,}/g, "...");
  let dotsBefore = false;
  let dotsAfter = false;
  let bracketed = false;
  for (let length = -1; length !== core.length;) {
    length = core.length;
    core = core.replace(/^[\s\-=*_~#>/|:+]+|[\s\-=*_~#</|:+.!;,]*[\-=*_~#</|:+!;,]$/g, "").trim();
    if (/^\.{2,}/.test(core)) dotsBefore = true;
    core = core.replace(/^\.{2,}\s*/, "");
    if (/\.{2,}$/.test(core)) dotsAfter = true;
    core = core.replace(/\s*\.+$/, "");
    const inner = /^(?:\[(.*)\]|\((.*)\)|<(.*)>|\{(.*)\}|"(.*)"|`(.*)`|（(.*)）|【(.*)】)$/.exec(core);
    if (inner !== null) {
      bracketed = true;
      core = (inner.slice(1).find((each) => each !== undefined) ?? "").trim();
    }
  }
  // "(lines 10-80)" and the like say where, not what.
  core = core.replace(/\s*[([](?:lines? )?#?\d[^)\]]*[)\]]$/, "").replace(/\s+/g, " ");
  core = core.replace(/\s*\((unchanged|omitted|same as before|not shown)\)$/, " $1");
  core = core.replace(/^(?:todo|note|fixme)(?:\([^)]*\))?:\s*|^todo\s+/, "");
  return { core, dotsBefore, dotsAfter, bracketed };
}

/** Parts of a program: people call them unchanged only if they are omitted. */
const CODE_NOUN = "(?:" + [
  "code|codebase|source|source code|implementations?|implementation details|logic|functions?|methods?|class|classes|components?",
  "imports?|import statements|exports?|styles?|styling|css|jsx|html|markup|rules?|tests?|test cases|definitions?|declarations?",
  "handlers?|event handlers|routes?|routers?|body|function body|method body|class body|helpers?|helper functions|helper methods",
  "types|type definitions|interfaces?|getters|setters|getters and setters|constructor|hooks|sections?|script|template|statements",
  "endpoints?|modules?|file contents?|endpoint definitions|queries",
].join("|") + ")";
/** Anything that may be omitted; people also say that some of these stay the same when they mean the data. */
const NOUN = "(?:" + [
  CODE_NOUN,
  "files?|contents?|cases|props|properties|fields|members|lines|configuration|configs?|settings|options|entries|items|scripts|json|yaml|sql",
  "columns|variables|constants|utilities|stuff|parts?|document|text|paragraphs|data|schema|setup|switch|struct|enum|program|page",
  "dependencies|elements?|children|blocks?|things|state|render|return|services|models|validation|initialization|steps|jobs|keys|values",
].join("|") + ")";
/** A word that may precede its noun. */
const WORD = "[a-z][\\w'.\\-/]*(?:\\(\\))?";
const THE = "(?:the |this |that |your |our |its |my )?";
/** Verbs for "is the same" or "is not shown". */
const SAME = "(?:(?:exactly|completely|entirely|mostly|all|still|also|just|largely) )?(?:" + [
  "the same|unchanged|unmodified|unaltered|untouched|not changed|not modified|not shown|identical|intact|omitted|elided|left out",
  "truncated|snipped|abbreviated|as[ -]is|as before|as above|as it was|as they were|as they are|preserved|like before",
  "as in (?:the )?original",
].join("|") + ")";
const LINK =
  "(?:(?:will |should |can )?(?:remains?|stays?)|is|are|was|were|has been|have been|continues?|goes|(?:is|are) (?:kept|left)|kept|left|to (?:remain|stay))";
const WHERE =
  "(?: (?:here|below|above|as before|from before|for brevity|for clarity|for now|to save space|for space|for conciseness|(?:from|as in|in|to) the original(?: file| code)?|in this file|as is|from here))*";
const TAIL = `(?: (?:${LINK} )?${SAME}${WHERE}| (?:remains?|continues)${WHERE})`;
const HERE = "(?: (?:(?:goes|go|is|are|continues|lives) )?(?:here|below|follows|above))";
const WHICH =
  "(?:others?|remaining|existing|previous|original|old|current|earlier|prior|unchanged|omitted|unmodified|same|additional|more|further|similar)";
const STRONG = "(?:existing|previous|original|remaining|unchanged|omitted|unmodified)";

/** Matches a text that is any of `phrases` as a whole. */
function whole(phrases: readonly string[]): RegExp {
  return new RegExp(`^(?:${phrases.join("|")})$`);
}

/** "rest of the (…) code". */
const REST = `(?:and |all )?${THE}(?:rest|remainder) of ${THE}(?:${WORD} ){0,3}?`;
/** "all the other (…) methods and (…) imports". */
const OTHERS = `(?:and )?(?:all )?(?:of )?${THE}${WHICH} (?:${WORD} ){0,2}?`;
const AND_MORE = `(?:(?:,| and|,? or|/| &) ?(?:${WORD} )?${NOUN})*`;

/** "120 more lines", "40 of 600 lines". */
const AMOUNT = "[\\d,]+ (?:of [\\d,]+ )?(?:more |other )?(?:lines?|char(?:acter)?s?|bytes|tokens)";

/** With dots on both sides, the bare name of the omitted thing is enough: `// ... props ...`. */
const FEW_WORDS = /^\p{L}[\w'-]*(?: [\p{L}#][\w'-]*){0,3}$/u;

/** With dots on both sides, so is any remark about what stays or is omitted. */
const SPEAKS_OF_OMISSION =
  /\b(?:unchanged|omitted|elided|remains? the same|stays? the same|same as (?:previous|before)|existing code|rest of (?:the |your |this )?(?:code|file|function|component|class|method))\b/;

let madePhrases: ReturnType<typeof makePhrases> | undefined;

/** Makes the phrases, which most contents do not need. */
const makePhrases = () => ({
  /** Phrases that always mean omitted content. */
  plain: whole([
    // Rest of file remains unchanged; the rest of your code here
    `${REST}${NOUN}(?:${TAIL}|${HERE})?`,
    `(?:and )?(?:the )?rest(?:${TAIL}|${HERE})`,
    // all other methods remain the same; previous code remains; existing imports and code
    `(?!same .* above$)${OTHERS}${CODE_NOUN}${AND_MORE}${TAIL}`,
    `(?:all )?${THE}${STRONG} (?:code|source code|implementation|logic|function body|method body|methods and functions|contents?)(?:${HERE})?`,
    `(?:all )?${THE}${STRONG} (?:${WORD} )?(?:${CODE_NOUN}|contents?)(?: (?:and|&|\\+) (?:${WORD} )?${CODE_NOUN})*${HERE}`,
    `(?:all )?${THE}(?:existing|previous|remaining) (?:imports|methods|functions|code|logic)(?: (?:and|&|\\+|/) (?:imports|methods|functions|code|logic|types))+`,
    `(?:all )?${THE}existing (?:imports|styles|markup|jsx|methods|functions)`,
    `(?:all )?${THE}(?:existing|previous|remaining|original) (?:${WORD} )?${NOUN} (?:(?:remains?|stays?) )?(?:unchanged|the same)${WHERE}`,
    `your existing (?:${WORD} )?${NOUN}(?:${HERE})?`,
    // imports unchanged; everything else stays the same; code above remains the same
    `(?:all )?${THE}(?:code|imports|methods|functions|implementation|body|logic|styles|everything else|all else|everything)(?: (?:above|below))?${TAIL}`,
    `(?!same .* above$)${THE}(?:${WORD} ){1,2}(?:implementation|implementations|methods|imports|function|method|class|component|logic|code|handler)${TAIL}`,
    // implementation omitted for brevity; unchanged; no changes needed here
    `(?:[^.:;]{1,100} )?(?:is |are )?(?:omitted|elided|left out|snipped|abbreviated|truncated)(?: (?:for|to) (?:brevity|clarity|space|conciseness|readability|save space))`,
    `unchanged|unmodified|omitted|elided|snip|snipped|same as before|unchanged (?:below|above|from (?:here|the original|before))`,
    `no changes?(?: (?:needed|required|made))?(?: (?:here|below|above|to (?:the rest|(?:this |the )?${CODE_NOUN})))`,
    `(?:unchanged|omitted) (?:code|methods|functions|imports|lines|sections?|content|parts?)(?:${HERE})?`,
    `(?:the )?same (?:${WORD} )?${NOUN} as (?:before|the original|original|in the original|previously)`,
    // keep the rest of the function as is; leave the existing code unchanged; add the rest of your code here
    `(?:keep|leave|retain|preserve)(?:ing)? (?:all )?(?:${REST}${NOUN}|${THE}(?:${WHICH} )?(?:rest|code|implementation|logic|imports|methods|functions|contents?|markup|styles|everything(?: else)?))(?:${TAIL}|${HERE})?`,
    `(?:keep|leave) (?:all )?${OTHERS}${NOUN} ${SAME}${WHERE}`,
    `(?:add|insert|put|include|paste|copy|place) (?:${REST}|${THE}(?:existing|remaining|original|previous) (?:${WORD} )?)${NOUN} (?:here|below)`,
    `${THE}(?:${STRONG} )?(?:${WORD} )?(?:implementation|code|logic|body) goes here`,
    // lines 10-80 unchanged; 120 lines omitted
    `lines? #?\\d+(?: ?(?:-|to|through|–|\\.\\.\\.?) ?\\d+)?${TAIL}`,
    `\\d+ (?:more |other |remaining |unchanged )?lines(?: ${LINK})? (?:omitted|unchanged|skipped|elided|not shown|truncated|snipped)${WHERE}`,
    `omitted \\d+ (?:more )?lines`,
    `(?:continue|continues|continued)(?: with| as)? ${THE}(?:(?:rest|existing|previous|original|remaining)(?: of)? ${THE}(?:${WORD} )?${NOUN}|before)(?:${TAIL})?`,
    `(?:code|content|file|output) (?:truncated|omitted)(?: for brevity| here)?`,
  ]),

  /** Phrases that mean omitted content if dots or brackets surround them. */
  dotted: whole([
    `${OTHERS}${NOUN}${AND_MORE}(?:${TAIL}|${HERE})?`,
    `(?:and |the |all )?(?:rest|remainder|others?|remaining|existing|unchanged|omitted|previous|same|truncated|skipped|snip|more|etc|same as above|as above|as before|continued|and so on|${NOUN} truncated.*)`,
    `(?:${WORD} ){0,3}(?:unchanged|omitted|elided|skipped|snipped|remains? the same|stays? the same|not shown)${WHERE}`,
    `(?!\\d+ unchanged \\w+ hidden$)(?:\\d+ )?(?:more|other|additional|similar|existing|previous|remaining|original|unchanged) (?:${WORD} ){0,3}(?:${WORD}|${HERE.trim()})`,
    `(?!.* deleted$)(?:${WORD} ){0,4}?${REST}${WORD}(?:${TAIL}|${HERE})?`,
    `(?:keep|leave) ${OTHERS}${NOUN}(?:${TAIL}|${HERE})?`,
  ]),

  /** Remarks of their own that mean omitted content if lines are lost. */
  loose: whole([
    `(?:all )?${THE}existing ${NOUN}`,
    `${THE}(?:remaining|existing|other) ${AMOUNT}(?:${TAIL})?`,
    `${AMOUNT.replace("(?:more |other )?", "unchanged ")}(?: hidden)?`,
    "unchanged (?:lines|code|parts?|sections?) (?:omitted|hidden|skipped)",
    `(?:file|code|content|script|class) continues(?: ${SAME}${WHERE})?`,
    `everything (?:after|before|below|above)(?: this(?: point| line)?)? (?:${LINK} )?${SAME}${WHERE}`,
    `(?:the )?rest of ${THE}${WORD}(?: ${WORD})?${TAIL}`,
    "no (?:other|further|more) changes?(?: .*)?|no changes? to (?:the rest|anything else|the remaining|other).*",
    `(?:leave|keep|retain) (?:everything|all|anything) else(?: ${SAME})?|(?:do not|don't) (?:change|modify|touch) anything (?:below|else).*`,
    `preserve (?:all )?existing (?:${WORD} ){1,2}(?:below|above|here)`,
    `(?:add|copy|paste|insert|include|implement)(?: over)? ${THE}(?:(?:remaining|existing) ${CODE_NOUN}|rest (?:from|of|in) ${THE}(?:original|file|code).*)|implement the rest`,
    "placeholder(?: for|:) (?:the )?(?:existing|remaining|rest|original).*",
    `(?:similar(?:ly)?|repeat|same(?: ${WORD})?) for (?:all )?(?:the )?(?:others?|rest|remaining)(?: ${WORD}){0,2}`,
    `same as (?:the )?original(?: ${WORD})?`,
    `(?:code|content|file|output) (?:truncated|omitted|shortened)(?: (?:due|for|because) .*)?|(?:truncated|omitted) due to .*`,
    `(?:[\\w$.]+\\(\\)|\`[\\w$.]+\`)(?:(?:, (?:and )?| and | & )(?:[\\w$.]+\\(\\)|\`[\\w$.]+\`))*:?${TAIL}`,
  ]),

  /** With brackets or dots before it, what tools print of a file of which they show a part. */
  notice: whole([
    "(?:truncated|omitted|elided|snip|snipped|clipped|unchanged)(?:(?:[:.]| due| for| at| by) .*)?",
    `(?:only )?showing (?:only )?(?:the )?(?:first |last )?(?:lines? \\d|\\d+ (?:lines?|(?:out )?of \\d+ (?:total )?lines?)\\b).*`,
    `(?:first |last )?${AMOUNT}(?: (?:were|are))? (?:in file|above|below|left|remaining|omitted|truncated|hidden|skipped|elided|removed|clipped|not shown)(?:[.;,] .*)?`,
    `(?:omitted|removed|skipped|truncated|hidden|clipped) (?:the )?(?:first |last )?${AMOUNT}(?:[.;,] .*)?`,
    `lines? \\d+(?: ?(?:-|to|–) ?\\d+)? (?:omitted|hidden|skipped|truncated|not shown|elided)(?:[.;,] .*)?`,
    `(?:file|output|content|response|result|observation|text)(?: content)?s?(?: (?:was|is|has been))? (?:truncated|clipped|capped|abridged)(?:[:;,.]| at| due| to| by|$).*`,
    "lines? \\d+(?: ?(?:-|to|–) ?\\d+)? of \\d+.*|[\\d,]+ lines total.*showing.*|[\\d,]+ more lines|more lines",
    "(?:file|code|content|text) continues.*|continued|use .*(?:offset|:\\d).* to (?:continue|read|view).*",
    "file has more lines.*|end of file - total \\d+ lines|.*only part of this file has been shown.*",
  ]),

  /** Certain even inside a block comment or after code: the rest of something, and that it is the same. */
  plainInside: whole([
    `${REST}${NOUN}(?:${TAIL}|${HERE})`,
    `(?:the )?rest (?:${LINK} )?${SAME}${WHERE}`,
    `${THE}${STRONG} (?:${WORD} )?(?:code|methods|functions|imports|implementation|logic|contents?|document|sections?|chapters?)${TAIL}`,
    `(?:code|content|lines|implementation) (?:omitted|elided|snipped)(?: for brevity)?`,
  ]),
});
