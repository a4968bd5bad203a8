/**
 * Steps of a walk on the user's files: exports, edits, rewrites, plans, questions, undo and counts; and calls that must
 * fail.
 */

import { existsSync } from "node:fs";
import { ACKNOWLEDGEMENT } from "../../src/calls/requests/rewrite_request.ts";
import { bytesOf, firstUnit, type Mode, slice, unitCount } from "../../tests/model.ts";
import { assertBytes, sha256Of } from "../../tests/store_calls.ts";
import { must } from "./inner_world.ts";
import { contentOf, lineOf, pieceOf, textOf } from "./walk_contents.ts";
import { type Call, type Json, toolCall } from "./walk_doors.ts";
import {
  addFd,
  addQuestion,
  addStep,
  changeWith,
  fromLatin1,
  type KnownQuestion,
  latin1,
  newestInEffect,
  numberOf,
  partsOf,
  type PlannedChange,
  sameFile,
  setFile,
  utf8,
  type WalkModel,
} from "./walk_model.ts";
import { isSealed, mustMatch, mustSay, onFd, someFd } from "./walk_store_steps.ts";
import type { PlannedStep, StepKind, Walk } from "./walk_step.ts";

/** The user's files. */
export const FILES = ["a.txt", "b.txt", "c.md", "d/e.txt", "d/f/g.txt", "ä ö.txt"];

interface PlannedWrite {
  call: Call;
  uses?: readonly string[];
  changes: readonly PlannedChange[];
  copies?: ReadonlyMap<string, Uint8Array>;
  undoes?: number | undefined;
  /** Whether the plan itself is stored. */
  storesPlan?: boolean;
  closes?: number;
  says?: Json;
}

/** Plans a call that writes. Its answer names the step and a backup of each file it replaces. */
function writing(walk: Walk, write: PlannedWrite): PlannedStep {
  const { known } = walk;
  const { call, uses = [], changes, copies = new Map(), undoes, storesPlan = false, closes, says = {} } =
    write;
  const kept = changes.flatMap(({ path, isPrefix }) => {
    const before = known.files.get(path);
    return before === undefined || isPrefix === true
      ? []
      : [{ bytes: before, pageSize: 4000, source: "backup", isImported: false }];
  });
  const written = [...changes.map(({ path, after }) => [path, after] as const), ...copies];
  return {
    call,
    uses,
    touches: [
      ...written.map(([path]) => `file:${path}`),
      ...(closes === undefined ? [] : [`inq:${closes}`]),
      "newest",
    ],
    may: { fds: kept, storesPlan, changes, copies, undoes, ...(closes === undefined ? {} : { closes }) },
    async check(_answer, json) {
      mustSay(json, says);
      if (storesPlan && known.isOrdered) {
        const id = known.highestFd + 1;
        addFd(known, `fd:${id}`, await walk.fetch(id), { source: "plan" });
      }
      const files = changes.length === 1 ? [json] : json["files"] as Json[];
      must(
        files.length === changes.length,
        () => `${files.length} files were written, wanted ${changes.length}`,
      );
      const made = changes.map((change, index) => changeWith(known, change, files[index]!["backup_fd"]));
      addStep(known, json["tx"], made, undoes);
      for (const [path, after] of written) setFile(known, path, after);
      for (const [path] of written) mustHold(walk, path);
      const question = closes === undefined ? undefined : known.questions.get(closes);
      if (question !== undefined) question.state = "closed";
    },
  };
}

/** Plans a call that only shows its diff. A long diff is stored, and the answer names its fd. */
function dryRun(walk: Walk, call: Call, uses: readonly string[]): PlannedStep {
  return {
    call,
    uses,
    may: { storesDiff: true },
    async check(_answer, json) {
      mustSay(json, { dry_run: true });
      const stored = json["diff_fd"];
      if (stored === undefined) return;
      addFd(walk.known, stored, await walk.fetch(numberOf(stored, "fd")));
    },
  };
}

/** Throws unless the file holds what the model says. */
export function mustHold({ known, world }: Pick<Walk, "known" | "world">, path: string): void {
  const wanted = known.files.get(path);
  const got = existsSync(world.path(path)) ? world.bytes(path) : undefined;
  if (wanted === undefined || got === undefined) {
    return must(wanted === got, () => `${path} is ${got === undefined ? "not there" : "there"}`);
  }
  assertBytes(got, wanted, path);
}

/** The path of a file, usually one that exists. */
function somePath({ known, choices }: Walk): string {
  const there = [...known.files.keys()].filter((path) => FILES.includes(path));
  return there.length > 0 && !choices.onceIn(5) ? choices.one(there) : choices.one(FILES);
}

function refused(
  call: Call,
  path: string,
  error: string | readonly string[],
  uses: readonly string[] = [],
): PlannedStep {
  return { call, uses: [`file:${path}`, ...uses], error };
}

function joined(...pieces: Uint8Array[]): Uint8Array {
  return fromLatin1(pieces.map(latin1).join(""));
}

const toFile = onFd(isSealed, (walk, { fd, argument, uses }) => {
  const { known, choices } = walk;
  const path = somePath(walk);
  const before = known.files.get(path);
  const mode = choices.one(["write", "append", "insert"] as const);
  const create = !choices.onceIn(5);
  const existOk = !choices.onceIn(5);
  const m = partsOf(fd);
  let added = fd.bytes;
  let chars = m.charCount;
  // The model joins bytes as they are.
  const given: Record<string, unknown> = { fd: argument, file_path: path, mode, eol: "keep" };
  if (mode === "append") given["glue"] = true;
  const sliceMode: Mode = choices.one(["line", "page", "char"]);
  if (choices.onceIn(3) && unitCount(m, sliceMode) > 0) {
    const first = firstUnit(sliceMode);
    const start = choices.whole(first, first + unitCount(m, sliceMode) - 1);
    const count = choices.whole(1, 4);
    const found = slice(m, sliceMode, start, count);
    if (!("error" in found)) {
      added = bytesOf(m, found.chars);
      chars = found.chars.to - found.chars.from;
      given[`${sliceMode}s`] = `${start}-${start + count - 1}`;
    }
  }
  if (!create) given["create"] = false;
  if (!existOk) given["exist_ok"] = false;
  const lines = before === undefined
    ? 0
    : latin1(before).split(/(?<=\n)/).filter((line) => line !== "").length;
  const atLine = mode === "insert" ? choices.whole(1, lines + 2) : undefined;
  if (atLine !== undefined) given["at_line"] = atLine;
  const isDry = choices.onceIn(12);
  if (isDry) given["dry_run"] = true;
  const call = toolCall("fd_to_file", given);
  if (!create && !existOk) return refused(call, path, "invalid_parameter", uses);
  if (before !== undefined && !existOk) return refused(call, path, "file_exists", uses);
  if (before === undefined && !create) return refused(call, path, "file_not_found", uses);
  if (atLine !== undefined && atLine > lines + 1) return refused(call, path, "invalid_parameter", uses);
  const after = mode === "write"
    ? added
    : mode === "append"
    ? joined(before ?? new Uint8Array(0), added)
    : inserted(before ?? new Uint8Array(0), added, atLine!);
  if (isDry) return dryRun(walk, call, [...uses, `file:${path}`]);
  return writing(walk, {
    call,
    uses,
    changes: [{ path, after, isPrefix: mode === "append" }],
    says: { type: "fd_file_result", fd: `fd:${fd.id}`, mode, char_count: chars, size_bytes: after.length },
  });
});

/** The result of `--at-line`: text goes before that line. If it follows a last line without a line end, one is added first. */
function inserted(before: Uint8Array, added: Uint8Array, atLine: number): Uint8Array {
  const lines = latin1(before).split(/(?<=\n)/).filter((line) => line !== "");
  const head = lines.slice(0, atLine - 1).join("");
  const lacks = head !== "" && !head.endsWith("\n");
  const lineEnd = !lacks ? "" : lines.at(-2)?.endsWith("\r\n") === true ? "\r\n" : "\n";
  return fromLatin1(head + lineEnd + latin1(added) + lines.slice(atLine - 1).join(""));
}

/** How often `sought` is in `text`, overlapping places included. */
function timesIn(text: string, sought: string): number {
  let times = 0;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) times++;
  return times;
}

const edit: StepKind = (walk) => {
  const { known, choices } = walk;
  const path = somePath(walk);
  const before = known.files.get(path);
  const edits: { old_string: string; new_string: string; replace_all?: boolean }[] = [];
  let text = before === undefined ? undefined : latin1(before);
  let error: string | undefined;
  for (let left = choices.one([1, 1, 2, 3]); left > 0 && error === undefined; left--) {
    const isWhole = choices.onceIn(text === undefined ? 2 : 12);
    const old = isWhole ? "" : pieceOf(choices, text === undefined ? new Uint8Array(0) : fromLatin1(text));
    const now = choices.onceIn(5) ? "" : choices.onceIn(3) ? textOf(choices, 3) : lineOf(choices);
    const all = choices.onceIn(3);
    edits.push({ old_string: old, new_string: now, ...(all ? { replace_all: true } : {}) });
    const sought = latin1(utf8(old));
    const put = latin1(utf8(now));
    if (old === "") text = put;
    else if (text === undefined) error = "file_not_found";
    else {
      const times = timesIn(text, sought);
      if (times === 0) error = "match_not_found";
      else if (times > 1 && !all) error = "match_not_unique";
      else text = text.split(sought).join(put);
    }
  }
  // The first edit of a missing file must set its whole content.
  if (before === undefined && edits[0]!.old_string !== "") error = "file_not_found";
  const given = edits.length === 1 && choices.onceIn(2) ? edits[0]! : { edits };
  const isDry = choices.onceIn(12);
  const call = toolCall("edit_file", { path, yes: true, ...given, ...(isDry ? { dry_run: true } : {}) });
  if (error !== undefined) return refused(call, path, error);
  const after = fromLatin1(text!);
  if (isDry) return dryRun(walk, call, [`file:${path}`]);
  return writing(walk, {
    call,
    changes: [{ path, after }],
    says: { type: "write_result", path, created: before === undefined, bytes: after.length },
  });
};

/** The lines of a content as `rewrite` counts them: CRLF and a lone CR are line ends, too. */
function normalisedLines(text: string): number {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

const rewrite: StepKind = (walk) => {
  const { known, choices } = walk;
  const path = somePath(walk);
  const before = known.files.get(path);
  const text = choices.onceIn(4)
    ? textOf(choices).replaceAll("\n", choices.one(["\r\n", "\r"]))
    : textOf(choices);
  const after = utf8(text);
  const counted = normalisedLines(text);
  const createIfMissing = choices.onceIn(2);
  const expectedLineCount = choices.onceIn(6) ? counted + choices.whole(1, 3) : counted;
  const acknowledgement = choices.onceIn(8) ? "I confirm" : ACKNOWLEDGEMENT;
  const expectedBytes = choices.onceIn(3) ? after.length + (choices.onceIn(4) ? 1 : 0) : undefined;
  const wrong: string[] = [];
  if (before === undefined && !createIfMissing) wrong.push("file_not_found");
  if (expectedLineCount !== counted) wrong.push("line_count_mismatch");
  if (acknowledgement !== ACKNOWLEDGEMENT) wrong.push("invalid_acknowledgement");
  if (expectedBytes !== undefined && expectedBytes !== after.length) wrong.push("size_mismatch");
  const call = toolCall("rewrite_file", {
    filePath: path,
    content: text,
    acknowledgement,
    expectedLineCount,
    createIfMissing: createIfMissing || undefined,
    expectedBytes,
  });
  if (wrong.length > 0) {
    return {
      ...refused(call, path, wrong),
      check(_answer, json) {
        if (wrong.length === 1) return;
        const faults = (json["faults"] as Json[]).map(({ error }) => error);
        mustMatch("faults", faults, wrong);
      },
    };
  }
  return writing(walk, {
    call,
    changes: [{ path, after }],
    says: { type: "write_result", path, created: before === undefined, bytes: after.length },
  });
};

interface Operation {
  type: string;
  [field: string]: string | boolean;
}

const plan: StepKind = (walk) => {
  const { known, choices } = walk;
  const paths = [...new Set([somePath(walk), choices.one(FILES), choices.one(FILES)])].slice(
    0,
    choices.whole(1, 3),
  );
  const changes: PlannedChange[] = [];
  const copies = new Map<string, Uint8Array>();
  let isWrong = false;
  const plans = paths.map((path) => {
    let text = known.files.has(path) ? latin1(known.files.get(path)!) : undefined;
    const before = known.files.get(path);
    const operations: Operation[] = [];
    for (let left = choices.one([1, 1, 2, 3]); left > 0; left--) {
      const made = someOperation(walk, text);
      operations.push(made.operation);
      if (made.text === undefined) isWrong = true;
      else text = made.text;
    }
    changes.push({ path, after: fromLatin1(text ?? "") });
    const keeps = choices.onceIn(8);
    if (keeps && before !== undefined) copies.set(copyPath(known, path), before);
    return { target_file: path, operations, ...(keeps ? { safety_checks: { backup_required: true } } : {}) };
  });
  const whole = plans.length === 1 && choices.onceIn(2)
    ? { intent: "walk on", ...plans[0]! }
    : { intent: "walk on", plans };
  const isCheck = choices.onceIn(6);
  const call = toolCall("write_plan", {
    ...whole,
    yes: true,
    eol: "keep",
    ...(isCheck ? { check_only: true } : {}),
  });
  const uses = paths.map((path) => `file:${path}`);
  if (isWrong) return { call, uses, error: "plan_invalid" };
  if (isCheck) return { call, uses, check: (_answer, json) => mustSay(json, { type: "plan_check" }) };
  return writing(walk, { call, changes, copies, storesPlan: true, says: { type: "write_result" } });
};

/** The path where `backup_required` keeps the old content: never that of an existing file. */
function copyPath(known: WalkModel, path: string): string {
  for (let n = 0;; n++) {
    const copy = n === 0 ? `${path}.bak` : `${path}.bak.${n}`;
    if (!known.files.has(copy)) return copy;
  }
}

/** An operation, and the text (one char a byte) that it makes of `text`; undefined if it must be refused. */
function someOperation(
  { choices }: Walk,
  text: string | undefined,
): { operation: Operation; text: string | undefined } {
  const block = choices.onceIn(3) ? lineOf(choices) + "!" : `${lineOf(choices)}\n${lineOf(choices)}.\n`;
  const added = latin1(utf8(block));
  const type = choices.one(
    ["create", "append", "overwrite", "insert", "replace", "replace_all", "append"] as const,
  );
  switch (type) {
    case "create":
      return { operation: { type, content_block: block }, text: text === undefined ? added : undefined };
    case "append":
      return { operation: { type, content_block: block, glue: true }, text: (text ?? "") + added };
    case "overwrite":
      return { operation: { type, content_block: block }, text: added };
  }
  const marker = pieceOf(choices, fromLatin1(text ?? ""));
  const sought = latin1(utf8(marker));
  const times = text === undefined ? 0 : timesIn(text, sought);
  if (type === "replace_all") {
    const operation = { type, content_block: block, find: marker };
    return { operation, text: times === 0 ? undefined : text!.split(sought).join(added) };
  }
  // A marker that occurs twice asks a question, which walks do not try here.
  if (times > 1) {
    return { operation: { type: "append", content_block: block, glue: true }, text: text! + added };
  }
  const at = text === undefined ? -1 : text.indexOf(sought);
  if (type === "replace") {
    const operation = { type, content_block: block, find: marker };
    const replaced = at === -1 ? undefined : text!.slice(0, at) + added + text!.slice(at + sought.length);
    return { operation, text: replaced };
  }
  const position = choices.one(["before", "after"] as const);
  const operation = { type, content_block: block, location_marker: marker, position };
  return { operation, text: at === -1 ? undefined : beside(text!, at, sought.length, position, added) };
}

/** Inserts whole lines between lines, and other text directly beside the marker. */
function beside(
  text: string,
  at: number,
  length: number,
  position: "before" | "after",
  added: string,
): string {
  const put = (place: number, lineEnd = "") => text.slice(0, place) + lineEnd + added + text.slice(place);
  const end = at + length;
  if (!added.endsWith("\n") || added.startsWith("\n")) return put(position === "before" ? at : end);
  if (position === "before") return put(at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1);
  if (text[end - 1] === "\n") return put(end);
  const feed = text.indexOf("\n", end);
  return feed === -1 ? put(text.length, "\n") : put(feed + 1);
}

const undo: StepKind = (walk) => {
  const { known, choices } = walk;
  const how = choices.whole(1, 4);
  const path = somePath(walk);
  const step = how === 1
    ? newestInEffect(known)
    : how === 2
    ? newestInEffect(known, path)
    : known.steps.length === 0
    ? undefined
    : choices.one(known.steps.slice(-8));
  const isForced = choices.onceIn(4);
  const call = toolCall("undo_write", {
    ...(how === 1 ? {} : how === 2 ? { path } : { tx: `tx:${step?.id ?? 77}` }),
    ...(isForced ? { force: true } : {}),
  });
  const uses = ["newest", ...(step?.changes ?? []).map(({ path }) => `file:${path}`)];
  if (step === undefined) return { call, uses, error: "not_found" };
  if (step.state === "rolled back") return { call, uses, error: "stale_file" };
  const stale = step.changes.filter(({ path, after }) => !sameFile(known.files.get(path), after));
  const isLost = stale.some(({ before, backup }) => before !== undefined && backup === undefined);
  // The backup may have been removed with --force. If the file also changed, either failure is right.
  const isGone = step.changes.some(({ backup }) => backup !== undefined && known.removed.has(backup));
  const refusals = [
    ...(stale.length > 0 && (!isForced || isLost) ? ["stale_file"] : []),
    ...(isGone ? ["removed"] : []),
  ];
  if (refusals.length > 0) return { call, uses, error: refusals };
  if (step.changes.some(({ path, before }) => before === undefined && !known.files.has(path))) {
    return undefined;
  }
  return writing(walk, {
    call,
    uses,
    changes: step.changes.map(({ path, before }) => ({ path, after: before })),
    undoes: step.id,
    says: { type: "write_result" },
  });
};

const create: StepKind = (walk) => {
  const { known } = walk;
  const path = somePath(walk);
  return {
    call: toolCall("create_file", { path }),
    uses: [`file:${path}`],
    code: 3,
    may: { asks: path },
    check(_answer, json) {
      mustSay(json, { type: "needs_input", tool: "create_file" });
      addQuestion(known, json["inquiry_id"], path);
    },
  };
};

function someQuestion({ known, choices }: Walk): KnownQuestion | undefined {
  const all = [...known.questions.values()];
  const open = all.filter(({ state }) => state === "open");
  return open.length > 0 && !choices.onceIn(6)
    ? choices.one(open)
    : all.length > 0
    ? choices.one(all)
    : undefined;
}

const answer: StepKind = (walk) => {
  const { known, choices } = walk;
  const question = someQuestion(walk);
  if (question === undefined) return undefined;
  const { id, path, file } = question;
  const now = known.files.get(path);
  const content = choices.onceIn(5) ? undefined : textOf(choices);
  const overwrite = !choices.onceIn(4);
  const isWrong = choices.onceIn(8);
  const given: Json = isWrong
    ? choices.one<Json>([{ contents: "x" }, { content: 7 }, { overwrite: "yes", content: "x" }, {}])
    : file === undefined
    ? { content: content ?? "" }
    : { overwrite, ...(content === undefined ? {} : { content }) };
  const call = toolCall("answer_inquiry", { inquiry_id: `inq:${id}`, answer: given });
  const uses = [`inq:${id}`, `file:${path}`];
  if (question.state === "closed" || isWrong) return { call, uses, error: "invalid_answer" };
  if (!sameFile(file, now)) {
    const kept = given["content"] === undefined ? undefined : utf8(String(given["content"]));
    return {
      call,
      uses,
      touches: [`inq:${id}`],
      code: 3,
      may: {
        asks: path,
        closes: id,
        fds: kept === undefined
          ? []
          : [{ bytes: kept, pageSize: 4000, source: "content", isImported: false }],
      },
      check(_answer, json) {
        mustSay(json, { type: "needs_input" });
        if (kept !== undefined) {
          const reported = /fd:[0-9]+/.exec(String((json["question"] as Json)["pre_amble"]));
          addFd(known, reported?.[0], kept);
        }
        addQuestion(known, json["inquiry_id"], path);
        question.state = "closed";
      },
    };
  }
  if (file !== undefined && !overwrite) {
    return {
      call,
      uses,
      touches: [`inq:${id}`],
      may: { closes: id },
      check(_answer, json) {
        mustSay(json, { type: "write_result", tx: undefined });
        question.state = "closed";
        mustHold(walk, path);
      },
    };
  }
  const after = utf8(String(given["content"] ?? ""));
  return writing(walk, {
    call,
    changes: [{ path, after }],
    closes: id,
    says: { type: "write_result", path, created: file === undefined, bytes: after.length },
  });
};

const cancel: StepKind = (walk) => {
  const question = someQuestion(walk);
  if (question === undefined) return undefined;
  const handle = `inq:${question.id}`;
  const call = { words: ["cancel", handle] };
  if (question.state === "closed") return { call, uses: [handle], error: "invalid_answer" };
  return {
    call,
    touches: [handle],
    may: { closes: question.id },
    check() {
      question.state = "closed";
    },
  };
};

const inquiries: StepKind = ({ known }) => ({
  call: { words: ["inquiries", "--all"] },
  uses: ["*"],
  check(_answer, json) {
    const open = [...known.questions.values()].filter(({ state }) => state === "open");
    const got = (json["inquiries"] as Json[]).map(({ inquiry_id: id }) => id);
    mustMatch("open questions", got, open.map(({ id }) => `inq:${id}`));
  },
});

const count: StepKind = (walk) => {
  const { known, choices } = walk;
  const kind = choices.whole(1, 3);
  const checked = (call: Call, bytes: Uint8Array, uses: readonly string[]): PlannedStep => ({
    call,
    uses,
    async check(_answer, json) {
      mustSay(json, {
        type: "line_count",
        lines: normalisedLines(latin1(bytes)),
        bytes: bytes.length,
        sha256: await sha256Of(bytes),
      });
    },
  });
  if (kind === 1) {
    const path = somePath(walk);
    const bytes = known.files.get(path);
    const call = toolCall("count_lines", { path });
    if (bytes === undefined) return refused(call, path, "file_not_found");
    const step = checked(call, bytes, [`file:${path}`]);
    return {
      ...step,
      may: { fds: [{ bytes, pageSize: 4000, source: path, isImported: false }] },
      async check(answer, json) {
        await step.check?.(answer, json);
        // The file is stored as an fd, once while it is the same.
        const [handle = ""] = /\bfd:\d+/.exec(String(json["message"])) ?? [];
        const stored = known.fds.get(Number(handle.slice(3))) ??
          addFd(known, handle, bytes, { source: path });
        must(latin1(stored.bytes) === latin1(bytes), () => `${path} is ${handle}, which has other bytes`);
      },
    };
  }
  if (kind === 2) {
    const text = textOf(choices);
    return checked(toolCall("count_lines", { content: text }), utf8(text), []);
  }
  const ofFd = onFd(isSealed, (_walk, { fd, argument, uses }) => {
    const handle = /^[0-9]/.test(argument) ? `fd:${argument}` : argument;
    return checked(toolCall("count_lines", { fd: handle }), fd.bytes, uses);
  });
  return ofFd(walk);
};

/** Calls that must fail, with the expected error. */
const wrongCall: StepKind = (walk) => {
  const { known, choices } = walk;
  if (known.fds.size === 0) return undefined;
  const fd = `fd:${someFd(walk)?.id ?? 1}`;
  const beyond = `fd:${known.highestFd + 50}`;
  const [what, given, error] = choices.one<[tool: string, given: Json, error: string]>([
    ["read_fd", { fd: beyond }, "not_found"],
    ["read_fd", { fd: "ref:nobody" }, "not_found"],
    ["read_fd", { fd: "what" }, "not_found"],
    ["read_fd", { fd, mode: "word" }, "invalid_parameter"],
    ["read_fd", { fd, count: 0 }, "invalid_parameter"],
    ["read_fd", {}, "invalid_parameter"],
    ["read_fd", { fd, tail: 2, read_all: true }, "invalid_parameter"],
    ["search_fd", { fd, pattern: "(a" }, "invalid_parameter"],
    ["search_fd", { fd, pattern: "(?=a)" }, "invalid_parameter"],
    ["search_fd", { fd }, "invalid_parameter"],
    ["diff_fds", { old_fd: fd, new_fd: beyond }, "not_found"],
    ["fd_to_file", { fd, file_path: "." }, "write_error"],
    ["fd_to_file", { fd, file_path: "never", mode: "insert" }, "invalid_parameter"],
    ["fd_to_file", { fd: beyond, file_path: "never" }, "not_found"],
    ["edit_file", { path: "never", new_string: "b" }, "invalid_parameter"],
    ["undo_write", { tx: "tx:99999" }, "not_found"],
    ["answer_inquiry", { inquiry_id: "inq:99999", answer: {} }, "not_found"],
    ["count_lines", { path: "never" }, "file_not_found"],
    ["write_plan", { intent: "x" }, "plan_invalid"],
  ]);
  if (!choices.onceIn(4)) return { call: toolCall(what, given), error };
  const [words, failure, stdin = ""] = choices.one<[words: string, error: string, stdin?: string]>([
    ["edit never", "truncated_payload", '{"old_string":"a","new_'],
    [`rm ${beyond}`, "not_found"],
    ["cancel inq:99999", "not_found"],
    [`stat ${beyond}`, "not_found"],
    ["nosuchcommand", "invalid_parameter"],
  ]);
  return { call: { words: words.split(" "), stdin: utf8(stdin) }, error: failure };
};

/** Changes a file without fdtool, as its user does. */
export function changeByUser({ world, known, choices }: Walk, path: string): void {
  const bytes = choices.onceIn(6) ? undefined : contentOf(choices);
  if (bytes !== undefined) world.write(path, bytes);
  else if (known.files.has(path)) Deno.removeSync(world.path(path));
  setFile(known, path, bytes);
}

/** The kinds of steps, each with its weight. */
export const FILE_STEPS: readonly (readonly [times: number, kind: StepKind])[] = [
  [60, toFile],
  [80, edit],
  [45, rewrite],
  [60, plan],
  [45, undo],
  [22, create],
  [25, answer],
  [2, cancel],
  [1, inquiries],
  [35, count],
  [40, wrongCall],
];
