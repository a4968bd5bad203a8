/**
 * The calls of a walk, chosen by the model: each is planned with what it must answer and change. Calls at once share none of
 * their `things`.
 */

import { ACKNOWLEDGEMENT } from "../../src/calls/requests/rewrite_request.ts";
import { cleanBytes } from "../../fd/system.ts";
import {
  bytesOf,
  firstUnit,
  type Mode,
  type Slice,
  slice,
  tail,
  unitCount,
  whole,
} from "../../tests/model.ts";
import { jsonBytes } from "../../tests/read_answer.ts";
import { assertBytes } from "../../tests/store_calls.ts";
import { must, sameBytes } from "./inner_world.ts";
import { type Choices, weighted } from "./random_choices.ts";
import type { Answer, Call, Json } from "./walk_callers.ts";
import {
  type Effect,
  fromLatin1,
  type KnownFd,
  latin1,
  mustSay,
  type NewFd,
  numberOf,
  partsOf,
  sameFile,
  sizesOf,
  utf8,
  type WalkModel,
} from "./walk_model.ts";

/** A call with its expected answer and effect. */
export interface Planned {
  call: Call;
  /** The files, fds and names that it depends on or changes. */
  things?: readonly string[];
  /** The failures of which it must end with one; nothing changes then. */
  fails?: readonly string[];
  /** The exit code of success. */
  code?: number;
  /** Fields of the answer. */
  says?: Json;
  check?(answer: Answer): void | Promise<void>;
  effect?: Effect;
  /** Whether processes that it starts would go on after a kill. */
  outlives?: boolean;
}

/** A model, and the choices for the next call. */
export interface Planning {
  known: WalkModel;
  choices: Choices;
}

/** Plans a call; undefined if the model has nothing for it to work on. */
type Plan = (planning: Planning) => Planned | undefined;

/** The user's files. */
export const FILES = ["a.txt", "b.txt", "c.md", "d/e.txt", "d/f/g.txt", "ä ö.txt"];
const NAMES = ["log", "build", "A.b-c_1", "9"];
const WORDS = "alpha beta err ok x y1 é 😀 na\u00efve a_b Err \t 0 aa".split(" ");
const CONTROLS = "\x1b[31m \x1b[0m \x1b[2K \x1b[3D \r \b \x07 \0 \x1b]0;x\x07 \u009b1m \ufeff \f".split(" ");

function textOf(choices: Choices, most = 12, words: readonly string[] = WORDS): string {
  const line = () =>
    Array.from({ length: choices.whole(0, 6) }, () => choices.one(words)).join(choices.one([" ", ""]));
  const lines = Array.from({ length: choices.whole(0, most) }, line);
  return lines.join("\n") + (lines.length > 0 && !choices.onceIn(4) ? "\n" : "");
}

const CONTENTS = weighted<(choices: Choices) => string | Uint8Array>(
  [1, () => ""],
  [1, (choices) => Uint8Array.from({ length: choices.whole(1, 300) }, () => choices.whole(0, 255))],
  [1, (choices) => textOf(choices).replaceAll("\n", "\r\n")],
  [1, (choices) => "long ".repeat(choices.whole(1, 1200)) + textOf(choices)],
  [1, (choices) => textOf(choices, 200).repeat(choices.whole(1, 20))],
  [2, (choices) => textOf(choices, 12, [...WORDS, ...CONTROLS])],
  [7, textOf],
);

/** Any content: mostly a few words, so that searches hit and edits find their text. */
export function contentOf(choices: Choices): Uint8Array {
  const made = choices.one(CONTENTS)(choices);
  return typeof made === "string" ? utf8(made) : made;
}

/** Plans a call on a sealed fd, mostly a recent one. */
function onFd(plan: (planning: Planning, fd: KnownFd, argument: string) => Planned | undefined): Plan {
  return (planning) => {
    const { known, choices } = planning;
    const fds = [...known.fds.values()].filter(({ state }) => state === "sealed");
    if (fds.length === 0) return undefined;
    const fd = choices.one(choices.onceIn(2) ? fds : fds.slice(-12));
    const [name] = [...known.names].find(([, id]) => id === fd.id) ?? [];
    const byName = name !== undefined && choices.onceIn(2);
    const planned = plan(planning, fd, byName ? `ref:${name}` : `fd:${fd.id}`);
    const things = [`fd:${fd.id}`, ...byName ? [`name:${name}`] : [], ...planned?.things ?? []];
    return planned && { ...planned, things };
  };
}

const capture: Plan = ({ choices }) => {
  const bytes = contentOf(choices);
  const pageSize = choices.onceIn(3) ? choices.whole(1, 60) : 4000;
  const threshold = choices.one([0, 10, 8000, undefined]);
  const name = threshold === undefined && choices.onceIn(3) ? choices.one(NAMES) : undefined;
  const fd = { id: 0, state: "sealed", bytes, pageSize };
  const passes = threshold !== undefined && partsOf(fd).charCount <= threshold;
  const words = ["capture", "--page-size", `${pageSize}`, "--preview", choices.one(["page", "tail", "none"])];
  words.push(...threshold === undefined ? ["--always"] : ["--threshold", `${threshold}`]);
  if (name !== undefined) words.push("--name", name);
  return {
    call: { words, stdin: bytes },
    things: name === undefined ? [] : [`name:${name}`],
    ...passes
      ? { check: ({ stdout }) => assertBytes(stdout!, bytes, "passed through") }
      : { says: { type: "fd_result", ...sizesOf(fd) }, effect: { fds: [{ bytes, pageSize, name }] } },
  };
};

const run: Plan = ({ choices }) => {
  const bytes = contentOf(choices);
  const code = choices.one([0, 0, 1, 77, 255]);
  const isSplit = choices.onceIn(3);
  const words = ["run", "--always", ...isSplit ? ["--split"] : [], "--", "sh", "-c"];
  return {
    call: { words: [...words, `cat; ${isSplit ? "echo gone >&2; " : ""}exit ${code}`], stdin: bytes },
    code,
    effect: { fds: [{ bytes }, ...isSplit ? [{ bytes: utf8("gone\n") }] : []] },
  };
};

interface AskedSlice {
  given: Json;
  mode: Mode;
  expected: Slice | undefined;
}

/** A random slice of an fd, usually a valid one. */
function someSlice(choices: Choices, fd: KnownFd): AskedSlice {
  const m = partsOf(fd);
  if (choices.onceIn(5)) return { given: { read_all: true }, mode: "page", expected: whole(m) };
  const mode = choices.one<Mode>(["page", "line", "char"]);
  const units = unitCount(m, mode);
  const count = choices.one([1, 2, 5, units + 3, choices.whole(1, units + 1)]);
  const first = firstUnit(mode);
  if (choices.onceIn(4)) {
    const expected = tail(m, mode, count) ?? { ...whole(m), start: first, count: 0 };
    return { given: { mode, tail: count }, mode, expected };
  }
  const start = first + choices.whole(0, choices.onceIn(8) ? units + 3 : Math.max(0, units - 1));
  const found = slice(m, mode, start, count);
  return { given: { mode, start, count }, mode, expected: "error" in found ? undefined : found };
}

const rangeErrors = (mode: Mode) => [mode === "page" ? "invalid_page" : "invalid_range"];

const read = onFd(({ choices }, fd, argument) => {
  const { given, mode, expected } = someSlice(choices, fd);
  const most = choices.onceIn(5) ? choices.one([1, 10, 40, 5000]) : undefined;
  const call = { tool: "read_fd", given: { fd: argument, ...given, exact: true, max_chars: most } };
  if (expected === undefined) return { call, fails: rangeErrors(mode) };
  const { bytes, chars, lines, continued, truncated, start, count } = expected;
  return {
    call,
    check({ json = {} }) {
      const shown = jsonBytes(json);
      assertBytes(shown, bytes.subarray(0, shown.length), "content");
      if (shown.length === bytes.length) {
        return mustSay(json, {
          fd: `fd:${fd.id}`,
          ...most === undefined && { mode, start, count, lines, continued, truncated },
        });
      }
      // The answer is bounded: it ends at a char, and says how to go on.
      must(typeof json["next"] === "string", () => "a bounded answer says how to go on");
      const end = partsOf(fd).charStarts.indexOf(partsOf(fd).charStarts[chars.from]! + shown.length);
      must(
        end > chars.from && end - chars.from <= (most ?? Infinity),
        () => `it ends at char ${end}, of ${most}`,
      );
    },
  };
});

const extract = onFd(({ choices }, fd, argument) => {
  const { given, mode, expected } = someSlice(choices, fd);
  const call = { tool: "read_fd", given: { fd: argument, ...given, extract_to_new_fd: true } };
  if (expected === undefined) return { call, fails: rangeErrors(mode) };
  const { bytes, start, count } = expected;
  return {
    call,
    says: { type: "fd_extraction", source_fd: `fd:${fd.id}`, mode, start, count },
    effect: { fds: [{ bytes, pageSize: fd.pageSize }] },
  };
});

const readClean = onFd((_, fd, argument) => ({
  call: { tool: "read_fd", given: { fd: argument, read_all: true } },
  check({ json = {} }) {
    if (json["next"] !== undefined) return;
    // Bytes that are not text are exact.
    assertBytes(
      jsonBytes(json),
      json["encoding"] === "base64" ? fd.bytes : cleanBytes(fd.bytes),
      "the clean view",
    );
  },
}));

const PATTERNS = ["err", "a+b?", "^x", "é|😀", "[a-m]a$", "(ok|x) ", "y1"];

const search = onFd(({ choices }, fd, argument) => {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(fd.bytes);
  // A search sees the clean view.
  if (!sameBytes(utf8(text), fd.bytes) || !sameBytes(cleanBytes(fd.bytes), fd.bytes)) return undefined;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const pattern = choices.one(PATTERNS);
  const invert = choices.onceIn(4);
  const expression = new RegExp(pattern, "u");
  const hits = lines.flatMap((line, at) => expression.test(line) !== invert ? [at + 1] : []);
  return {
    call: { tool: "search_fd", given: { fd: argument, pattern, invert } },
    code: hits.length === 0 ? 1 : 0,
    says: { type: "fd_matches", total: hits.length },
    check({ json = {} }) {
      for (const { line, text } of json["matches"] as { line: number; text: string }[]) {
        must(hits.includes(line), () => `line ${line} does not match`);
        must(
          text.length < lines[line - 1]!.length || text === lines[line - 1],
          () => `line ${line} is ${text}`,
        );
      }
    },
  };
});

const diff = onFd((planning, old, argument) => {
  const identical = ({ bytes }: KnownFd) => sameBytes(bytes, old.bytes);
  return onFd((_, now, other) => ({
    call: { tool: "diff_fds", given: { old_fd: argument, new_fd: other } },
    things: [`fd:${old.id}`],
    code: identical(now) ? 0 : 1,
    says: { type: "fd_diff", identical: identical(now) },
    // A long diff is stored.
    effect: { fds: [{ isOptional: true }] },
  }))(planning);
});

const name = onFd(({ choices }, { id }, argument) => {
  const bound = choices.one(NAMES);
  if (choices.onceIn(10)) return { call: { words: ["name", argument, "a b"] }, fails: ["invalid_parameter"] };
  return {
    call: { words: ["name", argument, bound] },
    things: [`name:${bound}`],
    says: { type: "ref_bound", id: `ref:${bound}`, fd: `fd:${id}` },
    effect: { names: new Map([[bound, id]]) },
  };
});

const remove: Plan = ({ known, choices }) => {
  const named = new Set(known.names.values());
  // A backup or a plan that an undo needs is not removed without --force.
  const isNeeded = ({ bytes, isPlan }: KnownFd) =>
    isPlan === true ||
    known.steps.some(({ changes }) => [...changes.values()].some(({ before }) => sameFile(before, bytes)));
  const free = [...known.fds.values()].filter((fd) => !named.has(fd.id) && !isNeeded(fd));
  if (free.length === 0) return undefined;
  const { id } = choices.one(free);
  return { call: { words: ["rm", `fd:${id}`] }, things: [`fd:${id}`], effect: { removes: [id] } };
};

const readRemoved: Plan = ({ known, choices }) => {
  if (known.removed.size === 0) return undefined;
  const fd = `fd:${choices.one([...known.removed])}`;
  const [tool, given] = choices.one<[string, Json]>([
    ["read_fd", { fd }],
    ["search_fd", { fd, pattern: "x" }],
    ["fd_to_file", { fd, file_path: "never" }],
  ]);
  return { call: { tool, given }, things: [fd], fails: ["removed"] };
};

/** Cleaning takes nothing without a quota, and packing changes no content. */
const clean: Plan = ({ choices }) => ({
  call: { words: ["gc", ...choices.onceIn(2) ? ["--pack"] : []] },
  things: ["*"],
  says: { type: "fd_gc", removed: [] },
});

/** An archive made and taken in by one line of sh: a copy of the fd, without its name. */
const carry = onFd((_, { bytes, pageSize, id }) => {
  const line = `fdtool export fd:${id} >"$HOME/a.tar" && fdtool import "$HOME/a.tar"`;
  return {
    call: { words: ["run", "--", "sh", "-c", line] },
    things: ["a.tar"],
    effect: { fds: [{ bytes, pageSize }] },
    outlives: true,
  };
});

/** A child's store has the fd, and what the child removes is still here. */
const fork = onFd((_, { bytes, id }) => ({
  call: {
    words: [
      "fork",
      "--",
      "sh",
      "-c",
      `fdtool read fd:${id} --all --format raw; fdtool rm fd:${id} >&2; exit 5`,
    ],
  },
  code: 5,
  check: ({ stdout }) => assertBytes(stdout!, bytes, "read in the child's store"),
}));

function somePath({ known, choices }: Planning): string {
  return choices.one(known.files.size === 0 || choices.onceIn(5) ? FILES : [...known.files.keys()]);
}

const MAX_FILE_BYTES = 60_000;

/** A write of files, of which the old contents become fds. */
function writing(
  { known }: Planning,
  call: Call,
  files: ReadonlyMap<string, Uint8Array | undefined>,
  { fds = [], undoes, says = { type: "write_result" }, backsUp = true }: {
    fds?: readonly NewFd[];
    undoes?: number;
    says?: Json;
    backsUp?: boolean;
  } = {},
): Planned | undefined {
  // Some calls write nothing then.
  if ([...files].every(([path, after]) => sameFile(known.files.get(path), after))) return undefined;
  // Replacing all of something short makes files grow without end.
  if ([...files.values()].some((bytes) => bytes !== undefined && bytes.length > MAX_FILE_BYTES)) {
    return undefined;
  }
  const backups = [...files.keys()].flatMap((path) => known.files.get(path) ?? []).map((bytes) => ({
    bytes,
  }));
  const things = [...[...files.keys()].map((path) => `file:${path}`), "journal"];
  const effect = { fds: [...fds, ...backsUp ? backups : []], files, ...undoes !== undefined && { undoes } };
  return { call, things, says, effect };
}

const toFile = onFd((planning, fd, argument) => {
  const { known, choices } = planning;
  const path = somePath(planning);
  const before = known.files.get(path);
  const mode = choices.one(["write", "append", "insert"] as const);
  const m = partsOf(fd);
  const [from, to] = [choices.whole(1, m.lines.length + 1), choices.whole(1, m.lines.length + 1)].sort((
    a,
    b,
  ) => a - b);
  const isPart = from !== undefined && to !== undefined && to <= m.lines.length && choices.onceIn(3);
  const found = isPart ? slice(m, "line", from, to - from + 1) : whole(m);
  const added = "error" in found ? fd.bytes : bytesOf(m, found.chars);
  const lines = latin1(before ?? new Uint8Array()).split(/(?<=\n)/).filter((line) => line !== "");
  const atLine = mode === "insert" ? choices.whole(1, lines.length + 2) : undefined;
  const given = {
    ...{
      fd: argument,
      file_path: path,
      mode,
      eol: "keep",
      glue: mode === "append" || undefined,
      at_line: atLine,
    },
    ...isPart && { lines: `${from}-${to}` },
    ...choices.onceIn(6) && { exist_ok: false },
  };
  const call = { tool: "fd_to_file", given };
  const things = [`file:${path}`];
  if (before !== undefined && given.exist_ok === false) return { call, things, fails: ["file_exists"] };
  if (atLine !== undefined && atLine > lines.length + 1) {
    return { call, things, fails: ["invalid_parameter"] };
  }
  const head = lines.slice(0, (atLine ?? 1) - 1).join("");
  // Whether a lone CR ends a line depends on what else the file has.
  if (/\r(?!\n)/.test(head)) return undefined;
  // Text after a last line without a line end gets one.
  const isGlued = added.length > 0 && head !== "" && !head.endsWith("\n");
  const end = !isGlued ? "" : lines.at(-2)?.endsWith("\r\n") === true ? "\r\n" : "\n";
  const text = { write: "", append: lines.join(""), insert: head + end }[mode] + latin1(added);
  const after = fromLatin1(text + (atLine === undefined ? "" : lines.slice(atLine - 1).join("")));
  const says = { type: "fd_file_result", fd: `fd:${fd.id}`, mode, size_bytes: after.length };
  return writing(planning, call, new Map([[path, after]]), { says, backsUp: mode !== "append" });
});

/** A piece of the text, or a word that it may not have. */
function pieceOf(choices: Choices, text: string): string {
  const chars = [...new TextDecoder().decode(fromLatin1(text)).slice(0, 4000)];
  if (chars.length === 0 || chars.includes("\ufffd") || choices.onceIn(5)) return choices.one(WORDS);
  const from = choices.whole(0, chars.length - 1);
  return chars.slice(from, from + choices.whole(1, choices.onceIn(3) ? 40 : 4)).join("");
}

/** How often `sought` is in `text`, overlapping places included. */
function timesIn(text: string, sought: string): number {
  let times = 0;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) times++;
  return times;
}

const edit: Plan = (planning) => {
  const { known, choices } = planning;
  const path = somePath(planning);
  const before = known.files.get(path);
  let text = before === undefined ? undefined : latin1(before);
  const edits: Json[] = [];
  const fails: string[] = [];
  for (let left = choices.one([1, 1, 2, 3]); left > 0 && fails.length === 0; left--) {
    const old = text === undefined || choices.onceIn(12) ? "" : pieceOf(choices, text);
    const [now, all] = [choices.onceIn(4) ? "" : textOf(choices, 3), choices.onceIn(3)];
    edits.push({ old_string: old, new_string: now, replace_all: all });
    const [sought, put] = [latin1(utf8(old)), latin1(utf8(now))];
    const times = text === undefined || old === "" ? 0 : timesIn(text, sought);
    if (old === "") text = put;
    else if (times === 0) fails.push("match_not_found");
    else if (times > 1 && !all) fails.push("match_not_unique");
    else text = text!.split(sought).join(put);
  }
  const call = { tool: "edit_file", given: { path, yes: true, eol: "keep", edits } };
  if (fails.length > 0) return { call, things: [`file:${path}`], fails };
  const after = fromLatin1(text!);
  const says = { type: "write_result", path, created: before === undefined, bytes: after.length };
  return writing(planning, call, new Map([[path, after]]), { says });
};

const rewrite: Plan = (planning) => {
  const { known, choices } = planning;
  const filePath = somePath(planning);
  const content = textOf(choices).replaceAll("\n", choices.one(["\n", "\r\n"]));
  const lineCount = content.split(/\r\n?|\n/).length - (/[\r\n]$|^$/.test(content) ? 1 : 0);
  const [isWrong, isUnsaid] = [choices.onceIn(6), choices.onceIn(8)];
  const given = {
    ...{ filePath, content, createIfMissing: choices.onceIn(2) },
    acknowledgement: isUnsaid ? "I confirm" : ACKNOWLEDGEMENT,
    expectedLineCount: lineCount + (isWrong ? 1 : 0),
  };
  const fails = [
    ...known.files.has(filePath) || given.createIfMissing ? [] : ["file_not_found"],
    ...isWrong ? ["line_count_mismatch"] : [],
    ...isUnsaid ? ["invalid_acknowledgement"] : [],
  ];
  const call = { tool: "rewrite_file", given };
  if (fails.length > 0) return { call, things: [`file:${filePath}`], fails };
  return writing(planning, call, new Map([[filePath, utf8(content)]]));
};

/** A plan for up to three files; `append` glues, and each text that is replaced is there once. */
const plan: Plan = (planning) => {
  const { known, choices } = planning;
  const paths = [...new Set([somePath(planning), choices.one(FILES), choices.one(FILES)])].slice(
    0,
    choices.whole(1, 3),
  );
  const files = new Map<string, Uint8Array>();
  let isInvalid = false;
  const plans = paths.map((path) => {
    let text = known.files.has(path) ? latin1(known.files.get(path)!) : undefined;
    const operations = Array.from({ length: choices.one([1, 1, 2]) }, () => {
      const block = `${textOf(choices, 3)}.\n`;
      const added = latin1(utf8(block));
      const find = pieceOf(choices, text ?? "");
      const sought = latin1(utf8(find));
      const isThere = text !== undefined && text.includes(sought);
      const type = choices.one(["create", "append", "append", "overwrite", "replace_all"] as const);
      if (type === "create" ? text !== undefined : type === "replace_all" && !isThere) isInvalid = true;
      else if (type === "append") text = (text ?? "") + added;
      else if (type === "replace_all") text = text!.split(sought).join(added);
      else text = added;
      return {
        type,
        content_block: block,
        ...type === "append" && { glue: true },
        ...type === "replace_all" && { find },
      };
    });
    files.set(path, fromLatin1(text ?? ""));
    return { target_file: path, operations };
  });
  const checkOnly = choices.onceIn(6);
  const given = { intent: "walk on", plans, yes: true, eol: "keep", check_only: checkOnly };
  const call = { tool: "write_plan", given };
  const things = paths.map((path) => `file:${path}`);
  if (isInvalid) return { call, things, fails: ["plan_invalid"] };
  if (checkOnly) return { call, things, says: { type: "plan_check" } };
  return writing(planning, call, files, { fds: [{}] });
};

const undo: Plan = (planning) => {
  const { known, choices } = planning;
  const undone = known.undone();
  const isNewest = choices.onceIn(2);
  const inEffect = known.steps.findLast(({ id, undoes }) => undoes === undefined && !undone.has(id));
  const step = isNewest
    ? inEffect
    : known.steps.length === 0
    ? undefined
    : choices.one(known.steps.slice(-8));
  if (step === undefined) {
    return { call: { tool: "undo_write", given: { tx: "tx:99999" } }, fails: ["not_found"] };
  }
  const call = { tool: "undo_write", given: isNewest ? {} : { tx: `tx:${step.id}` } };
  const changes = [...step.changes];
  const things = ["journal", ...changes.map(([path]) => `file:${path}`)];
  const isAsBefore = changes.every(([path, { before }]) => sameFile(known.files.get(path), before));
  const isStale = changes.some(([path, { after }]) => !sameFile(known.files.get(path), after));
  // Of a step that was undone, files may be as before it; another write that made them so is a change since.
  if (undone.has(step.id) && isStale && !isAsBefore) return undefined;
  if (isStale && !undone.has(step.id)) return { call, things, fails: ["stale_file"] };
  if (isAsBefore) return { call, things, says: { type: "write_result", tx: undefined } };
  return writing(planning, call, new Map(changes.map(([path, { before }]) => [path, before])), {
    undoes: step.id,
  });
};

/** Calls that must fail, whatever the store has. */
const wrongCall: Plan = ({ known, choices }) => {
  const fd = `fd:${known.highestId + 50}`;
  const [tool, given, error] = choices.one<[tool: string, given: Json, error: string]>([
    ["read_fd", { fd }, "not_found"],
    ["read_fd", { fd: "ref:nobody" }, "not_found"],
    ["read_fd", { fd, mode: "word" }, "invalid_parameter"],
    ["read_fd", {}, "invalid_parameter"],
    ["fd_to_file", { fd, file_path: "never" }, "not_found"],
    ["edit_file", { path: "never", old_string: "a", new_string: "b" }, "file_not_found"],
    ["undo_write", { tx: "tx:99999" }, "not_found"],
    ["answer_inquiry", { inquiry_id: "inq:99999", answer: {} }, "not_found"],
    ["count_lines", { path: "never" }, "file_not_found"],
    ["write_plan", { intent: "x" }, "plan_invalid"],
  ]);
  return { call: { tool, given }, fails: [error] };
};

const PLANS = weighted<Plan>(
  [15, read],
  [6, extract],
  [6, search],
  [3, readClean],
  [3, diff],
  [2, readRemoved],
  [5, capture],
  [1, run],
  [2, name],
  [1, remove],
  [1, clean],
  [1, carry],
  [1, fork],
  [8, toFile],
  [10, edit],
  [6, rewrite],
  [8, plan],
  [6, undo],
  [4, wrongCall],
);

/** A random call that `isWanted`. */
export function somePlanned(
  planning: Planning,
  isWanted: (planned: Planned) => boolean = () => true,
): Planned {
  for (let tried = 0; tried < 200; tried++) {
    const planned = planning.choices.one(PLANS)(planning);
    if (planned !== undefined && isWanted(planned)) return planned;
  }
  throw new Error("no call can be planned here");
}

/** Throws unless the answer is the expected one. */
export async function judge({ fails, code = 0, says = {}, check }: Planned, answer: Answer): Promise<void> {
  const { json = {}, error, stderr = "" } = answer;
  const about = () =>
    `${answer.code}, ${error} ${JSON.stringify(json).slice(0, 600)} ${stderr.slice(0, 600)}`;
  must(!/^\s+at .+[:(]\d+|internal_error|panic/m.test(stderr), () => `a fault of the program: ${about()}`);
  if (fails === undefined) must(error === undefined, () => `it failed: ${about()}`);
  else must(error !== undefined && fails.includes(error), () => `it did not fail with ${fails}: ${about()}`);
  const codes = fails === undefined ? [code] : [1, ...error === "invalid_parameter" ? [2] : []];
  must(
    answer.code === undefined || codes.includes(answer.code),
    () => `the exit code is not ${codes}: ${about()}`,
  );
  mustSay(json, fails === undefined ? says : {});
  await check?.(answer);
}

/** The step of the journal that an answer names. */
export function txOf({ json }: Answer): number {
  return numberOf(json?.["tx"], "tx");
}
