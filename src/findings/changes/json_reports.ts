/** Reads reports in JSON as lines of findings, as other tools write them: `src/a.c:3: error: message (rule)`. */

import { utf8Bytes, utf8Text } from "../../../fd/system.ts";

/** Content whose reports are lines; undefined for content without reports. */
interface ReportLines {
  bytes: Uint8Array;
  /** For each line, its number in the content, and whether it is a finding of a report. */
  origins: readonly { line: number; isReported: boolean }[];
}

/** The content with a line for each finding instead of each report; undefined if it has no report. */
export function reportLines(content: Uint8Array): ReportLines | undefined {
  if (!content.includes(OBJECT)) return undefined;
  const lines = utf8Text(content).split("\n");
  if (lines.at(-1) === "") lines.pop();
  const texts: string[] = [];
  const origins: { line: number; isReported: boolean }[] = [];
  let hasReport = false;
  for (let at = 0; at < lines.length; at++) {
    const report = /^[[{]/.test(lines[at]!) ? reportAt(lines, at) : undefined;
    if (report === undefined) {
      texts.push(lines[at]!);
      origins.push({ line: at + 1, isReported: false });
      continue;
    }
    hasReport = true;
    let line = at;
    for (const { text, message } of report.findings) {
      // A finding is where its message is, which may be escaped in another way.
      const quoted = JSON.stringify(message).slice(1, -1);
      const found = lines.findIndex((each, of) => of >= line && of <= report.last && each.includes(quoted));
      line = found < 0 ? line : found;
      texts.push(text);
      origins.push({ line: line + 1, isReported: true });
    }
    at = report.last;
  }
  return hasReport ? { bytes: utf8Bytes(texts.join("\n")), origins } : undefined;
}

const OBJECT = 0x7b;

interface Report {
  last: number;
  findings: Reported[];
}

interface Reported {
  text: string;
  message: string;
}

/** The report that starts on a line: in one line, or up to the bracket that ends it. */
function reportAt(lines: readonly string[], at: number): Report | undefined {
  const line = lines[at]!;
  const isWhole = /[\]}]\s*$/.test(line) && line.length > 2;
  // An object in a line of its own is an entry of a log, unless it has a list of others.
  if (isWhole && line.startsWith("{") && !/\[\s*\{/.test(line)) return undefined;
  const last = isWhole ? at : lines.findIndex((each, of) => of > at && /^[\]}]+\s*$/.test(each));
  if (last < 0) return undefined;
  try {
    const findings = reportedIn(JSON.parse(lines.slice(at, last + 1).join("\n")), {});
    // A line of many objects is not one finding.
    return findings.length > 0 || isWhole && /\}\s*,\s*\{/.test(line) ? { last, findings } : undefined;
  } catch {
    return undefined;
  }
}

/** Parts of a finding that the objects around it have. */
interface Context {
  file?: string | undefined;
  name?: string | undefined;
}

const MESSAGE = /^(?:message|msg|text|desc|issue_text|failureMessages?)$/i;
/** A message only if a level is beside it. */
const TITLE = /^(?:title|description)$/i;
const FILE = /^(?:uri|(?:full|abs|rel|given|verbatim)?_?(?:file|path)(?:_?(?:name|path))?)$/i;
const OBJECT_NAME = /^(?:target|module)$/i;
const LINE = /^(?:(?:start|begin)?_?line(?:_?(?:no|num(?:ber)?))?|row)$/i;
const NAME =
  /^(?:full_?(?:title|name)|node_?id|name|title|test|(?:rule|check|test|vulnerability)_?(?:id|name)|id|code|symbol|rule|pkg_?name)$/i;
const STATUS = /^(?:status|outcome|state|result|action)$/i;
const LEVEL = /^(?:(?:issue_?)?(?:level|severity)|kind)$/i;
const FAILED = /^(?:fail|error|broken|unexpected|timed ?out|crash)/i;
const PASSED = /^(?:pass|ok|success|skip|pending|expected|info|debug|trace|none)/i;
/** Parts of a finding that have messages, but are no findings. */
const DETAILS = /^(?:related|child|suggest|fix|rules?$|codeFlow|threadFlow|spans?$|help|notes?$)/i;
const MAX_LEVELS = 8;
const MAX_TEXT_CHARS = 300;

/** The findings in a value: its innermost objects with a message and a place or level, and those that failed. */
function reportedIn(value: unknown, around: Context): Reported[] {
  if (Array.isArray(value)) return value.flatMap((each) => reportedIn(each, around));
  if (typeof value !== "object" || value === null) return [];
  const own = (key: RegExp) =>
    Object.entries(value).find(([name, each]) => key.test(name) && textOf(each) !== "");
  const text = (key: RegExp) => textOf(own(key)?.[1]);
  const status = text(STATUS);
  const level = text(LEVEL);
  const file = text(FILE) || text(OBJECT_NAME);
  const names = [around.name ?? "", text(NAME)].filter((name, at, all) =>
    name !== "" && all.indexOf(name) === at
  );
  const context = { file: file || around.file, name: names.at(-1) };
  const inner = Object.entries(value).flatMap(([key, each]) =>
    DETAILS.test(key) ? [] : reportedIn(each, context)
  );
  if (inner.length > 0) return inner;
  const path = placeIn(value, FILE, MAX_LEVELS) || context.file || "";
  const line = placeIn(value, LINE, MAX_LEVELS);
  const isPlaced = path !== "" && line !== "";
  const message = text(MESSAGE) || (level + status === "" && !isPlaced ? "" : text(TITLE)) ||
    (FAILED.test(status) ? names.at(-1) ?? "" : "") || (isPlaced ? longestText(value) : "");
  if (message === "" || path + level + status === "" || PASSED.test(status)) return [];
  if (path === "" && PASSED.test(level)) return [];
  const [first = ""] = message.slice(0, MAX_TEXT_CHARS).split("\n");
  const place = line === "" ? path : `${path}:${line}`;
  const parts = [place, status || level, `${first} (${names.filter((name) => name !== message).join(", ")})`];
  return [{ text: parts.filter((part) => part !== "").join(": ").replace(/ \(\)$/, ""), message: first }];
}

/** A value as text, also `{ text: "…" }`, and the first of a list; empty for other values. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return `${value}`;
  if (Array.isArray(value)) return typeof value[0] === "string" ? value[0] : "";
  return typeof value === "object" && value !== null && "text" in value ? textOf(value.text) : "";
}

/** The longest text of several words. */
function longestText(value: object): string {
  const texts = Object.values(value).filter((each) => typeof each === "string" && each.includes(" "));
  return texts.reduce((one, other) => other.length > one.length ? other : one, "");
}

/** The first text with such a key, in the object or in those below it. */
function placeIn(value: unknown, key: RegExp, levels: number): string {
  if (typeof value !== "object" || value === null || levels === 0) return "";
  const entries = Object.entries(value);
  const found = entries.find(([name, each]) => key.test(name) && /^(?:string|number)$/.test(typeof each));
  if (found !== undefined) return `${found[1]}`;
  for (const [, each] of entries) {
    const below = placeIn(each, key, levels - 1);
    if (below !== "") return below;
  }
  return "";
}
