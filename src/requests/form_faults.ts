/**
 * What is wrong with a request that its schema cannot say: parameters that exclude or need each other. Told together with
 * the schema's faults, so that one look at the call mends all of them.
 *
 * @module
 */

import type { ArgumentFault } from "./usage_failure.ts";

/** A request as far as it could be understood: what its schema refuses in it stands as it came. */
type Given = Readonly<Record<string, unknown>>;

/** Tells what is wrong with the form of a request. `isRefused`: its schema has faults to tell already. */
export type FormFaults = (given: Given, isRefused: boolean) => ArgumentFault[];

/** One edit, or a list of edits, each with an old and a new text. */
export function editFaults(given: Given): ArgumentFault[] {
  const { edits } = given;
  const isSingle = ["old_string", "new_string", "new_fd", "replace_all"].some((name) =>
    given[name] !== undefined
  );
  const wanted = "old_string and new_string, or edits";
  if (edits === undefined) {
    return isSingle
      ? entryFaults(given, "")
      : [{ field: "edits", got: "neither edits nor old_string", wanted }];
  }
  const both = { field: "edits", got: "edits beside old_string or new_string", wanted };
  const entries: readonly unknown[] = Array.isArray(edits) ? edits : [];
  return [
    ...(isSingle ? [both] : []),
    ...entries.flatMap((edit, index) => isRecord(edit) ? entryFaults(edit, `edits[${index}].`) : []),
  ];
}

function entryFaults({ old_string, new_string, new_fd }: Given, at: string): ArgumentFault[] {
  const faults: ArgumentFault[] = [];
  if (old_string === undefined) {
    faults.push({ field: `${at}old_string`, got: "nothing", wanted: "the text to replace" });
  }
  if (new_string === undefined && new_fd === undefined) {
    const wanted = "the text in its place, or new_fd";
    faults.push({ field: `${at}new_string`, got: "nothing", wanted });
  }
  if (new_string !== undefined && new_fd !== undefined) {
    const wanted = "one of new_string and new_fd";
    faults.push({ field: `${at}new_fd`, got: "new_fd beside new_string", wanted });
  }
  return faults;
}

/**
 * One content. The two checks (contract, Writing files) are failures of their own where nothing else is wrong, since only the content
 * can tell the line count; beside other faults they are told here.
 */
export function rewriteFaults(given: Given, isRefused: boolean): ArgumentFault[] {
  const { content, content_fd, lines } = given;
  const faults: ArgumentFault[] = [];
  if ((content === undefined) === (content_fd === undefined)) {
    const got = content === undefined ? "neither" : "both";
    faults.push({ field: "content", got, wanted: "one of content and content_fd" });
  }
  if (lines !== undefined && content_fd === undefined) {
    faults.push({ field: "lines", got: "lines without content_fd", wanted: "content_fd beside it" });
  }
  if (!isRefused && faults.length === 0) return [];
  for (
    const [field, wanted] of [["acknowledgement", "the sentence that its description gives"], [
      "expectedLineCount",
      "the number of lines of the content",
    ]] as const
  ) {
    if (given[field] === undefined) {
      faults.push({ field, got: "nothing", wanted: `${wanted} (it is required)` });
    }
  }
  return faults;
}

/** The whole, the last units, or units from a start on; `start` and `count` may stand beside `read_all`. */
export function readFaults({ read_all, tail, start, count }: Given): ArgumentFault[] {
  if (tail === undefined) return [];
  if (read_all === true) return [{ field: "tail", got: "tail beside read_all", wanted: "one of the two" }];
  return Object.entries({ start, count }).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, got: `${field} beside tail`, wanted: "one of the two" }]
  );
}

function isRecord(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
