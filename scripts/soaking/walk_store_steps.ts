/**
 * Steps of a walk on the store: capture, run, read, search, diff, name, rm, gc, export, import, fork.
 */

import { existsSync, readFileSync } from "node:fs";
import { contentPath, recordPath } from "../../fd/store/store_paths.ts";
import { cleanBytes } from "../../fd/system.ts";
import { jsonBytes } from "../../tests/read_answer.ts";
import {
  firstUnit,
  lineOfChar,
  type Mode,
  type Slice,
  slice,
  tail,
  unitCount,
  whole,
} from "../../tests/model.ts";
import { assertBytes } from "../../tests/store_calls.ts";
import { must } from "./inner_world.ts";
import { contentOf, isPlain, jsonValuesOf, patternOf, utf8TextOf } from "./walk_contents.ts";
import { type Json, toolCall } from "./walk_doors.ts";
import { addFd, type KnownFd, latin1, numberOf, overQuota, partsOf, sizesOf, utf8 } from "./walk_model.ts";
import type { PlannedStep, StepKind, Walk } from "./walk_step.ts";

const NAMES = ["log", "build", "A.b-c_1", "z", "ref", "9"];
const MODES: readonly Mode[] = ["page", "line", "char"];

/** Throws unless `json` has these fields with these values; undefined means absent. */
export function mustSay(json: Json, fields: Json): void {
  for (const [field, wanted] of Object.entries(fields)) {
    const got = json[field];
    must(
      JSON.stringify(got) === JSON.stringify(wanted),
      () =>
        `${field} is ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}: ${
          JSON.stringify(json).slice(0, 400)
        }`,
    );
  }
}

/** Throws unless both have the same members, in any order. */
export function mustMatch(what: string, got: readonly unknown[], wanted: Iterable<unknown>): void {
  const [one, other] = [got, [...wanted]].map((each) => each.map(String).sort().join());
  must(one === other, () => `${what}: ${one}, wanted ${other}`);
}

/** A random fd, recent ones more often; undefined if none is found that is `wanted`. */
export function someFd(
  { known, choices }: Walk,
  wanted: (fd: KnownFd) => boolean = () => true,
): KnownFd | undefined {
  const ids = [...known.fds.keys()];
  for (let tried = 0; tried < 12 && ids.length > 0; tried++) {
    const fd = known.fds.get(choices.onceIn(2) ? choices.one(ids.slice(-12)) : choices.one(ids))!;
    if (wanted(fd)) return fd;
  }
  return undefined;
}

function spelled({ known, choices }: Walk, { id }: KnownFd): Omit<Chosen, "fd"> {
  const names = [...known.names].filter(([, bound]) => bound === id).map(([name]) => name);
  if (names.length > 0 && choices.onceIn(2)) {
    const name = choices.one(names);
    return { argument: `ref:${name}`, uses: [`fd:${id}`, `name:${name}`] };
  }
  return { argument: choices.onceIn(3) ? String(id) : `fd:${id}`, uses: [`fd:${id}`] };
}

/** An fd that a step works on, as an argument, and what its meaning depends on. */
interface Chosen {
  fd: KnownFd;
  argument: string;
  uses: readonly string[];
}

/** Plans a step that works on one fd. */
export function onFd(
  wanted: (fd: KnownFd) => boolean,
  plan: (walk: Walk, chosen: Chosen) => PlannedStep | undefined,
): StepKind {
  return (walk) => {
    const fd = someFd(walk, wanted);
    return fd && plan(walk, { fd, ...spelled(walk, fd) });
  };
}

export const isSealed = ({ state }: KnownFd) => state === "sealed";
const isAny = () => true;

function bindAll({ known }: Walk, names: readonly string[], id: number): void {
  for (const name of names) known.names.set(name, id);
}

const capture: StepKind = (walk) => {
  const { known, choices } = walk;
  const bytes = contentOf(choices);
  const always = !choices.onceIn(4);
  const threshold = choices.one([0, 1, 10, 100, 8000]);
  const pageSize = choices.onceIn(3) ? choices.whole(1, 60) : 4000;
  const name = always && choices.onceIn(4) ? choices.one(NAMES) : undefined;
  const fd = { id: 0, bytes, pageSize, source: "content", state: "sealed", isImported: false } as const;
  const passes = !always && partsOf(fd).charCount <= threshold;
  const names = name === undefined ? [] : [name];
  return {
    call: {
      words: [
        "capture",
        ...(always ? ["--always"] : ["--threshold", String(threshold)]),
        ...(pageSize === 4000 ? [] : ["--page-size", String(pageSize)]),
        ...(name === undefined ? [] : ["--name", name]),
        "--preview",
        choices.one(["page", "head", "tail", "both", "none"]),
      ],
      stdin: bytes,
    },
    touches: names.map((each) => `name:${each}`),
    may: { fds: [fd], names: names.map((each) => [each, "new"] as const) },
    check({ stdout }, json) {
      if (passes) return assertBytes(stdout, bytes, "passed through");
      const { id } = addFd(known, json["fd"], bytes, { pageSize });
      bindAll(walk, names, id);
      mustSay(json, { type: "fd_result", ...sizesOf(fd), state: undefined });
    },
  };
};

const run: StepKind = (walk) => {
  const { known, choices, world } = walk;
  const bytes = contentOf(choices);
  const code = choices.one([0, 0, 1, 3, 77, 255]);
  const words = (...command: string[]) => ["run", ...options, "--", ...command];
  const options = choices.onceIn(2) ? ["--always"] : [];
  const failing = choices.whole(1, 8);
  if (failing === 1) {
    return { call: { words: ["run", "--", "nosuchcommand"] }, error: "file_not_found", code: 127 };
  }
  if (failing === 2) {
    return { call: { words: ["run", "--", world.dir] }, error: "permission_error", code: 126 };
  }
  if (failing === 3) {
    return { call: { words: ["run", "--", "sh", "-c", "kill -TERM $$"] }, code: 143 };
  }
  const fd = { bytes, pageSize: 4000, source: "content", isImported: false };
  if (failing === 4) {
    // The command reads the caller's stdin.
    return {
      call: {
        words: ["run", "--always", "--split", "--", "sh", "-c", `cat; echo gone >&2; exit ${code}`],
        stdin: bytes,
      },
      code,
      may: { fds: [fd, { ...fd, bytes: utf8("gone\n") }] },
      check({ stdout }) {
        const answers = new TextDecoder().decode(stdout).trimEnd().split("\n").map((line) =>
          JSON.parse(line) as Json
        );
        must(answers.length === 2, () => `--split answers ${answers.length} times`);
        // The stream that is written first gets the lower id.
        const made = [{ fd: answers[0]!["fd"], bytes }, { fd: answers[1]!["fd"], bytes: utf8("gone\n") }];
        made.sort((one, other) => numberOf(one.fd, "fd") - numberOf(other.fd, "fd"));
        for (const each of made) addFd(known, each.fd, each.bytes);
        mustSay(answers[0]!, { bytes: bytes.length, exit_code: code });
        mustSay(answers[1]!, { bytes: 5, exit_code: code });
      },
    };
  }
  return {
    call: { words: words("sh", "-c", `cat; exit ${code}`), stdin: bytes },
    code,
    may: { fds: [fd] },
    check({ stdout }, json) {
      const passes = options.length === 0 &&
        partsOf({ ...fd, id: 0, state: "sealed" }).charCount <= 8000;
      if (passes) return assertBytes(stdout, bytes, "passed through");
      addFd(known, json["fd"], bytes);
      mustSay(json, { type: "fd_result", bytes: bytes.length, exit_code: code, state: undefined });
    },
  };
};

interface AskedSlice {
  given: Json;
  expected: Slice | undefined;
  mode: Mode;
  isAll: boolean;
}

/** A random slice of an fd, usually a valid one. */
function someSlice({ choices }: Walk, fd: KnownFd): AskedSlice {
  const m = partsOf(fd);
  if (choices.onceIn(5)) return { given: { read_all: true }, expected: whole(m), mode: "page", isAll: true };
  const mode = choices.one(MODES);
  const units = unitCount(m, mode);
  const count = choices.one([1, 1, 2, 5, units + 3, choices.whole(1, units + 1)]);
  if (choices.onceIn(4)) {
    // The tail of empty content is empty.
    const expected = tail(m, mode, count) ?? { ...whole(m), start: firstUnit(mode), count: 0 };
    return { given: { mode, tail: count }, expected, mode, isAll: false };
  }
  const first = firstUnit(mode);
  const start = choices.onceIn(8)
    ? first + units + choices.whole(0, 3)
    : choices.whole(first, Math.max(first, first + units - 1));
  const found = slice(m, mode, start, count);
  const given = mode === "line" && choices.onceIn(2)
    ? { lines: `${start}-${start + count - 1}` }
    : { mode, start, count };
  return { given, expected: "error" in found ? undefined : found, mode, isAll: false };
}

function rangeError(mode: Mode): string {
  return mode === "page" ? "invalid_page" : "invalid_range";
}

const read = onFd(isAny, (walk, { fd, argument, uses }) => {
  const { choices } = walk;
  const { given, expected, mode, isAll } = someSlice(walk, fd);
  const asked = { fd: argument, ...given, exact: true };
  const call = toolCall("read_fd", asked);
  if (expected === undefined) return { call, uses, error: rangeError(mode) };
  const m = partsOf(fd);
  const state = fd.state === "sealed" ? undefined : fd.state;
  if (choices.onceIn(25)) {
    return {
      call: { words: [...call.words, "--format", "raw"] },
      uses,
      check: ({ stdout }) => assertBytes(stdout, expected.bytes, "raw"),
    };
  }
  if (choices.onceIn(5)) {
    const most = choices.one([1, 3, 10, 40, 5000]);
    return {
      call: toolCall("read_fd", { ...asked, max_chars: most }),
      uses,
      check: (_answer, json) => checkBounded(fd, expected, most, json),
    };
  }
  return {
    call,
    uses,
    check(_answer, json) {
      const { lines, continued, truncated, start, count } = expected;
      const shown = jsonBytes(json);
      if (json["shown_chars"] !== undefined && shown.length < expected.bytes.length) {
        // The door bounds what it answers; `fetch` follows such a `next`.
        assertBytes(shown, expected.bytes.subarray(0, shown.length), "a bounded answer is a beginning");
        return must(typeof json["next"] === "string", () => "a bounded answer says how to go on");
      }
      assertBytes(shown, expected.bytes, "content");
      mustSay(json, {
        type: "fd_content",
        fd: `fd:${fd.id}`,
        pages: m.pages.length,
        total_lines: m.lines.length,
        mode,
        start,
        count,
        lines,
        continued,
        truncated,
        state,
        page: isAll ? "all" : mode === "page" ? start : undefined,
      });
    },
  };
});

/** A bounded read shows as many whole lines as fit or, if not even one fits, as many chars. */
function checkBounded(fd: KnownFd, { bytes, chars }: Slice, most: number, json: Json): void {
  const m = partsOf(fd);
  const shown = jsonBytes(json);
  assertBytes(shown, bytes.subarray(0, shown.length), "a bounded read is a beginning");
  const endChar = m.charStarts.indexOf(m.charStarts[chars.from]! + shown.length);
  must(endChar >= chars.from, () => "a bounded read ends between chars");
  must(endChar - chars.from <= most, () => `${endChar - chars.from} chars are more than ${most}`);
  if (endChar === chars.to) return;
  must(typeof json["next"] === "string", () => "a bounded read says how to go on");
  const endsLine = latin1(shown).endsWith("\n");
  if (!endsLine) {
    must(!latin1(shown).includes("\n"), () => "a bounded read that holds a line end ends at one");
    must(endChar - chars.from === most, () => "a line that is cut is cut at the bound");
    return;
  }
  const line = m.lines[lineOfChar(m, endChar) - 1]!;
  must(Math.min(line.to, chars.to) - chars.from > most, () => "one more line would have fitted");
}

const extract = onFd(isSealed, (walk, { fd, argument, uses }) => {
  const { known, choices } = walk;
  const { given, expected, mode } = someSlice(walk, fd);
  const names = choices.onceIn(5) ? [choices.one(NAMES)] : [];
  const naming = names.length === 0 ? {} : { name: names[0] };
  const call = toolCall("read_fd", { fd: argument, ...given, extract_to_new_fd: true, ...naming });
  if (expected === undefined) return { call, uses, error: rangeError(mode) };
  const made = { bytes: expected.bytes, pageSize: fd.pageSize, source: "content", isImported: false };
  return {
    call,
    uses,
    touches: names.map((name) => `name:${name}`),
    may: { fds: [made], names: names.map((name) => [name, "new"] as const) },
    check(_answer, json) {
      const { id } = addFd(known, json["new_fd"], expected.bytes, { pageSize: fd.pageSize });
      bindAll(walk, names, id);
      mustSay(json, {
        type: "fd_extraction",
        source_fd: `fd:${fd.id}`,
        mode,
        start: expected.start,
        count: expected.count,
        content_size: expected.chars.to - expected.chars.from,
      });
    },
  };
});

/** Reads all content in clean view. */
const readClean = onFd((fd) => isSealed(fd) && fd.bytes.length < 4000, (_walk, { fd, argument, uses }) => {
  const shown = cleanBytes(fd.bytes);
  return {
    call: toolCall("read_fd", { fd: argument, read_all: true }),
    uses,
    check(_answer, json) {
      // Bytes that are not text are exact.
      assertBytes(jsonBytes(json), json["encoding"] === "base64" ? fd.bytes : shown, "the clean view");
      mustSay(json, { type: "fd_content", total_lines: partsOf(fd).lines.length });
    },
  };
});

/** Filters, and what each makes of a value. */
const FILTERS: readonly (readonly [filter: string, of: (value: unknown) => unknown])[] = [
  [".", (value) => value],
  ["[.]", (value) => [value]],
  ["[.[]?]", (value) => typeof value === "object" && value !== null ? Object.values(value) : []],
  ["[.[]?] | length", (value) => typeof value === "object" ? Object.keys(value ?? {}).length : 0],
  ["type", (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value],
];

const isSmallJson = (fd: KnownFd) =>
  isSealed(fd) && fd.bytes.length < 1500 && jsonValuesOf(fd.bytes) !== undefined;

const query = onFd(isSmallJson, ({ choices }, { fd, argument, uses }) => {
  const [filter, of] = choices.one(FILTERS);
  const isSlurped = choices.onceIn(4);
  const values = jsonValuesOf(fd.bytes)!;
  const results = (isSlurped ? [values] : values).map((value) => `${JSON.stringify(of(value))}\n`);
  return {
    call: toolCall("query_fd", { fd: argument, filter, slurp: isSlurped || undefined }),
    uses,
    check(_answer, json) {
      mustSay(json, { type: "fd_query", fd: `fd:${fd.id}`, results: results.length, error: undefined });
      must(
        json["values"] === results.join(""),
        () => `${filter} gives ${JSON.stringify(json["values"])}, wanted ${JSON.stringify(results)}`,
      );
    },
  };
});

const WORD = "[\\p{L}\\p{N}_]";

const isUtf8 = (fd: KnownFd) => isSealed(fd) && utf8TextOf(fd.bytes) !== undefined;

const search = onFd(isUtf8, ({ known, choices }, { fd, argument, uses }) => {
  const fixed = choices.onceIn(5) || undefined;
  const pattern = fixed ? choices.one(["err", "a", ".", "é", "ok x", "(ok|x)"]) : patternOf(choices);
  const ignoreCase = choices.onceIn(5) || undefined;
  const invert = choices.onceIn(6) || undefined;
  const source = fixed ? pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : pattern;
  // --word is not defined for patterns that match the empty string.
  const word = choices.onceIn(6) && !new RegExp(`^(?:${source})$`, "u").test("") || undefined;
  const expression = new RegExp(
    word ? `(?<!${WORD})(?:${source})(?!${WORD})` : source,
    ignoreCase ? "sui" : "su",
  );
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(fd.bytes);
  const exact = choices.onceIn(2) || undefined;
  const shownLine = (line: string) =>
    exact ? line : new TextDecoder("utf-8", { ignoreBOM: true }).decode(cleanBytes(utf8(line)));
  const stored = text.split("\n");
  if (stored.at(-1) === "") stored.pop();
  const lines = stored.map(shownLine);
  const hits = lines.flatMap((line, at) => expression.test(line) !== (invert ?? false) ? [at + 1] : []);
  const most = choices.onceIn(3) ? choices.whole(1, 4) : undefined;
  const options = { exact, fixed, ignore_case: ignoreCase, invert, word, max_count: most };
  const base = { fd: argument, pattern, ...options };
  if (choices.onceIn(6)) {
    const kept = hits.slice(0, most ?? Infinity);
    const bytes = utf8(text.split(/(?<=\n)/).filter((_, at) => kept.includes(at + 1)).join(""));
    return {
      call: toolCall("search_fd", { ...base, extract_to_new_fd: true }),
      uses,
      code: hits.length === 0 ? 1 : 0,
      may: hits.length === 0
        ? {}
        : { fds: [{ bytes, pageSize: fd.pageSize, source: "content", isImported: false }] },
      check(_answer, json) {
        if (hits.length === 0) return mustSay(json, { type: "fd_matches", total: 0 });
        mustSay(json, { type: "fd_extraction", source_fd: `fd:${fd.id}` });
        addFd(known, json["new_fd"], bytes, { pageSize: fd.pageSize });
      },
    };
  }
  const context = choices.onceIn(3) ? choices.whole(1, 3) : 0;
  return {
    call: toolCall("search_fd", { ...base, context: context || undefined }),
    uses,
    code: hits.length === 0 ? 1 : 0,
    check(_answer, json) {
      mustSay(json, { type: "fd_matches", fd: `fd:${fd.id}`, total: hits.length });
      const shown = Number(json["shown"]);
      const wanted = Math.min(hits.length, most ?? 50);
      // If not all are shown, they may be shown by kind: a part of them, in another order.
      const mayBeByKind = most === undefined && json["shapes"] !== undefined;
      // Fewer in order only if their text is too long for one answer.
      must(
        shown === wanted || mayBeByKind || (shown < wanted && fd.bytes.length > 4000),
        () => `${shown} hits of ${wanted} are shown`,
      );
      const entries = json["matches"] as {
        line: number;
        text: string;
        context?: boolean;
        cut_before?: number;
        cut_after?: number;
      }[];
      const around = new Set<number>();
      // Context ends before the next hit, which must not look like a line that does not match.
      const end = hits[shown] ?? lines.length + 1;
      for (const hit of hits.slice(0, shown)) {
        for (let line = hit - context; line <= hit + context; line++) {
          if (line >= 1 && line < end) around.add(line);
        }
      }
      const numbers = entries.map(({ line }) => line);
      if (fd.bytes.length <= 4000 && !mayBeByKind) {
        must(
          numbers.join() === [...around].sort((a, b) => a - b).join(),
          () => `lines ${numbers} are shown, wanted ${[...around]}`,
        );
      }
      for (const { line, text: got, context: isContext, cut_before, cut_after } of entries) {
        if (cut_before === undefined && cut_after === undefined) {
          must(got === lines[line - 1], () => `line ${line} is shown as ${JSON.stringify(got)}`);
        }
        must((isContext === true) === !hits.includes(line), () => `line ${line} is marked wrongly`);
      }
    },
  };
});

const diff: StepKind = (walk) => {
  const old = someFd(walk, (fd) => isSealed(fd) && isPlain(fd.bytes));
  const now = someFd(walk, (fd) => isSealed(fd) && isPlain(fd.bytes));
  if (old === undefined || now === undefined) return undefined;
  const one = spelled(walk, old);
  const other = spelled(walk, now);
  const identical = latin1(old.bytes) === latin1(now.bytes);
  if (!identical && old.bytes.length + now.bytes.length > 6000) return undefined;
  return {
    call: toolCall("diff_fds", { old_fd: one.argument, new_fd: other.argument }),
    uses: [...one.uses, ...other.uses],
    code: identical ? 0 : 1,
    check(_answer, json) {
      mustSay(json, { type: "fd_diff", identical });
      if (identical) return;
      must(typeof json["diff"] === "string", () => `no diff: ${JSON.stringify(json).slice(0, 300)}`);
      const patched = patch(latin1(old.bytes), latin1(utf8(json["diff"])));
      assertBytes(utf8(patched.text), utf8(latin1(now.bytes)), "the old fd with the diff applied");
      mustSay(json, { lines_added: patched.added, lines_removed: patched.removed });
    },
  };
};

/** Applies a unified diff as `patch` does, strictly. */
export function patch(old: string, unified: string): { text: string; added: number; removed: number } {
  const lines = old.split(/(?<=\n)/);
  let text = "";
  let at = 0;
  let added = 0;
  let removed = 0;
  const rows = unified.split("\n");
  for (const [index, row] of rows.entries()) {
    const end = rows[index + 1]?.startsWith("\\") === true ? "" : "\n";
    if (row.startsWith("---") && index === 0 || row.startsWith("+++") && index === 1) continue;
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(row);
    if (hunk !== null) {
      const from = hunk[2] === "0" ? Number(hunk[1]) : Number(hunk[1]) - 1;
      text += lines.slice(at, from).join("");
      at = from;
    } else if (row.startsWith(" ") || row.startsWith("-")) {
      must(
        lines[at] === row.slice(1) + end,
        () => `the diff takes line ${at + 1} for ${JSON.stringify(row)}`,
      );
      if (row.startsWith(" ")) text += lines[at];
      else removed++;
      at++;
    } else if (row.startsWith("+")) {
      text += row.slice(1) + end;
      added++;
    }
  }
  return { text: text + lines.slice(at).join(""), added, removed };
}

const name = onFd(isAny, ({ known, choices }, { fd, argument, uses }) => {
  const bound = choices.one(NAMES);
  if (choices.onceIn(10)) {
    return {
      call: { words: ["name", argument, choices.one(["a b", "", "é", "a/b"])] },
      uses,
      error: "invalid_parameter",
    };
  }
  return {
    call: { words: ["name", argument, bound] },
    uses,
    touches: [`name:${bound}`],
    may: { names: [[bound, fd.id]] },
    check(_answer, json) {
      mustSay(json, { type: "ref_bound", id: `ref:${bound}`, fd: `fd:${fd.id}` });
      known.names.set(bound, fd.id);
    },
  };
});

const refs: StepKind = ({ known }) => ({
  call: toolCall("list_refs", {}),
  uses: ["*"],
  check(_answer, json) {
    const got = (json["refs"] as { id: string; fd: string }[]).map(({ id, fd }) => `${id}=${fd}`);
    mustMatch("refs", got, [...known.names].map(([bound, id]) => `ref:${bound}=fd:${id}`));
  },
});

const list: StepKind = ({ known, choices }) => {
  const limit = choices.whole(1, 20);
  return {
    call: toolCall("list_fds", { limit }),
    uses: ["*"],
    check(_answer, json) {
      const wanted = [...known.fds.keys()].sort((a, b) => a - b).slice(-limit).map((id) => `fd:${id}`);
      const got = (json["fds"] as { fd: string }[]).map(({ fd }) => fd);
      must(got.join() === wanted.join(), () => `ls shows ${got}, wanted ${wanted}`);
      mustSay(json, { total: known.fds.size });
    },
  };
};

/** Moves an fd to the removed ones. */
export function forget({ known }: Pick<Walk, "known">, id: number): void {
  must(known.fds.delete(id), () => `fd:${id} was removed and is not known`);
  known.removed.add(id);
}

const remove: StepKind = (walk) => {
  const { choices } = walk;
  const fds = [someFd(walk, isOwn), choices.onceIn(3) ? someFd(walk, isOwn) : undefined]
    .flatMap((fd) => fd === undefined ? [] : [fd]);
  if (fds.length === 0) return undefined;
  const ids = [...new Set(fds.map(({ id }) => id))];
  return {
    call: { words: ["rm", ...ids.map((id) => `fd:${id}`)] },
    touches: ids.map((id) => `fd:${id}`),
    may: { removes: ids },
    check(_answer, json) {
      const gone = (json["removed"] as Json[]).map(({ fd }) => numberOf(fd, "fd"));
      must(gone.join() === ids.join(), () => `rm removed ${gone}, wanted ${ids}`);
      for (const id of ids) forget(walk, id);
    },
  };
};

const isBackup = ({ source, isImported }: KnownFd) => source === "backup" && !isImported;

/** Removing the backup of a step that is done needs --force. */
const removeBackup = onFd(isBackup, (walk, { fd: { id } }) => {
  const { known, choices } = walk;
  const isNeeded = known.steps.some(({ state, changes }) =>
    state === "done" && changes.some(({ backup }) => backup === id)
  );
  const isForced = choices.onceIn(4);
  const call = { words: ["rm", `fd:${id}`, ...(isForced ? ["--force"] : [])] };
  const touches = [`fd:${id}`, "newest"];
  const uses = ["newest"];
  if (isNeeded && !isForced) return { call, uses, error: "permission_error" };
  return {
    call,
    uses,
    touches,
    may: { removes: [id] },
    check(_answer, json) {
      must((json["removed"] as Json[]).length === 1, () => `rm did not remove fd:${id}`);
      forget(walk, id);
    },
  };
});

/** Whether no step or question can need the fd. */
function isOwn({ source, isImported }: KnownFd): boolean {
  return source === "content" || isImported;
}

const readRemoved: StepKind = (walk) => {
  const { known, choices } = walk;
  if (known.removed.size === 0) return undefined;
  const id = choices.one([...known.removed]);
  const fd = `fd:${id}`;
  const [tool, given] = choices.one<[string, Json]>([
    ["read_fd", { fd }],
    ["search_fd", { fd, pattern: "x" }],
    ["fd_to_file", { fd, file_path: "never" }],
    ["count_lines", { fd }],
    ["diff_fds", { old_fd: fd, new_fd: fd }],
  ]);
  return { call: toolCall(tool, given), error: "removed" };
};

const clean: StepKind = (walk) => {
  const { known, choices } = walk;
  const held = [...known.fds.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  const quota = Math.max(1, Math.floor(held * (0.6 + choices.fraction() / 2)));
  const gone = overQuota(known, quota, heldTwice(walk));
  return {
    call: { words: ["gc", "--all"], env: { FDTOOL_QUOTA: String(quota) } },
    touches: ["*"],
    may: { removes: gone },
    check(_answer, json) {
      const got = (json["removed"] as Json[]).map(({ fd }) => numberOf(fd, "fd"));
      must(got.join() === gone.join(), () => `gc for ${quota} bytes removed ${got}, wanted ${gone}`);
      mustSay(json, { type: "fd_gc", bytes_before: held });
      for (const id of gone) forget(walk, id);
    },
  };
};

/** The fds whose content is in their record, and in a plain file that `path` made. */
function heldTwice({ known, world }: Walk): Set<number> {
  const isTwice = (id: number) =>
    existsSync(contentPath(world.store, id)) &&
    readFileSync(recordPath(world.store, id), "latin1").startsWith("FDO");
  return new Set([...known.fds.keys()].filter(isTwice));
}

const stat = onFd(isAny, (_walk, { fd, argument, uses }) => ({
  call: { words: ["stat", argument] },
  uses,
  check: (_answer, json) =>
    mustSay(json, { fd: `fd:${fd.id}`, state: fd.state, ...sizesOf(fd), page_size: fd.pageSize }),
}));

const exportFds: StepKind = (walk) => {
  const { known, choices, archives } = walk;
  const fds = [someFd(walk), someFd(walk)].flatMap((fd) => fd?.state === "sealed" ? [fd] : []);
  const chosen = [...new Set(fds)].sort((a, b) => a.id - b.id);
  if (chosen.length === 0) return undefined;
  const named = chosen.map((fd) => ({
    fd,
    names: [...known.names].filter(([, id]) => id === fd.id).map(([bound]) => bound),
  }));
  return {
    call: { words: ["export", ...chosen.map(({ id }) => `fd:${id}`)] },
    uses: [...chosen.map(({ id }) => `fd:${id}`), ...NAMES.map((each) => `name:${each}`)],
    check({ stdout }) {
      must(stdout.length > 0, () => "an archive is not empty");
      archives.push({ bytes: stdout, fds: named });
      if (archives.length > 4) archives.splice(choices.whole(0, 3), 1);
    },
  };
};

const importFds: StepKind = (walk) => {
  const { known, choices, archives } = walk;
  if (archives.length === 0) return undefined;
  const { bytes, fds } = choices.one(archives);
  if (choices.onceIn(5)) {
    const cut = bytes.subarray(0, choices.whole(1, bytes.length - 1025));
    return {
      call: { words: ["import"], stdin: cut },
      error: ["truncated_payload", "invalid_parameter", "store_corrupt"],
    };
  }
  return {
    call: { words: ["import", "--all"], stdin: bytes },
    touches: NAMES.map((each) => `name:${each}`),
    may: {
      fds: fds.map(({ fd }) => ({ ...fd, isImported: true })),
      names: fds.flatMap(({ names }) =>
        names.filter((each) => !known.names.has(each)).map((each) => [each, "new"] as const)
      ),
    },
    check(_answer, json) {
      const got = json["fds"] as Json[];
      must(got.length === fds.length, () => `${got.length} fds were imported, wanted ${fds.length}`);
      for (const [index, { fd, names }] of fds.entries()) {
        mustSay(got[index]!, { was: `fd:${fd.id}`, bytes: fd.bytes.length });
        const made = addFd(known, got[index]!["fd"], fd.bytes, {
          ...fd,
          id: numberOf(got[index]!["fd"], "fd"),
          isImported: true,
        });
        for (const each of names) if (!known.names.has(each)) known.names.set(each, made.id);
      }
    },
  };
};

const fork: StepKind = (walk) => {
  const { choices } = walk;
  const fd = someFd(walk, isSealed);
  const other = someFd(walk, isOwn);
  if (fd === undefined || other === undefined || other === fd) return undefined;
  const line =
    `fdtool rm fd:${other.id} >/dev/null || exit 9; fdtool read fd:${fd.id} --all --format raw; exit 5`;
  const uses = [`fd:${fd.id}`, `fd:${other.id}`];
  // The child removes the fd in its own store only.
  const check: PlannedStep["check"] = ({ stdout }) =>
    assertBytes(stdout, fd.bytes, "read in the child's store");
  if (choices.onceIn(2)) return { call: { words: ["fork", "--", "sh", "-c", line] }, uses, code: 5, check };
  const alone =
    `fdtool read fd:${other.id} >/dev/null 2>&1 && exit 9; fdtool read fd:${fd.id} --all --format raw; exit 6`;
  return {
    call: { words: ["spawn", "--preload", `fd:${fd.id}`, "--", "sh", "-c", alone] },
    uses,
    code: 6,
    check,
  };
};

const pathOf = onFd(isSealed, (_walk, { fd, argument, uses }) => ({
  call: { words: ["path", argument] },
  uses,
  check: (_answer, json) =>
    assertBytes(Deno.readFileSync(String(json["path"])), fd.bytes, "the content file"),
}));

/** The kinds of steps, each with its weight. The first ones also run over MCP and are cheap. */
export const STORE_STEPS: readonly (readonly [times: number, kind: StepKind])[] = [
  [150, read],
  [50, extract],
  [70, search],
  [20, readClean],
  [8, query],
  [40, diff],
  [10, refs],
  [10, list],
  [15, readRemoved],
  [24, capture],
  [6, run],
  [5, name],
  [6, remove],
  [2, removeBackup],
  [1, clean],
  [2, stat],
  [2, exportFds],
  [2, importFds],
  [1, fork],
  [1, pathOf],
];
