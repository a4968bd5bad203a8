/**
 * Finds the faults of a request that its schema cannot express: parameters that exclude or need each other. They are
 * reported together with the schema's faults, so that all can be corrected at once.
 */

import { isJsonObject, type JsonObject } from "./json_object.ts";
import type { ArgumentFault } from "./usage_failure.ts";

/** A request as far as it could be understood; values that its schema refuses are unchanged. */
type Given = JsonObject;

/** Returns the faults of the form of a request. `isRefused`: its schema already found faults. */
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
  const both = { field: "edits", got: "edits with old_string or new_string", wanted };
  const entries: readonly unknown[] = Array.isArray(edits) ? edits : [];
  return [
    ...(isSingle ? [both] : []),
    ...entries.flatMap((edit, index) => isJsonObject(edit) ? entryFaults(edit, `edits[${index}].`) : []),
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
    faults.push({ field: `${at}new_fd`, got: "new_fd with new_string", wanted });
  }
  return faults;
}

/**
 * One content. The two checks (contract, Writing files) are failures of their own if there are no other faults, since
 * only the content gives the line count; with other faults they are reported here.
 */
export function rewriteFaults(given: Given, isRefused: boolean): ArgumentFault[] {
  const { content, content_fd, lines } = given;
  const faults: ArgumentFault[] = [];
  if ((content === undefined) === (content_fd === undefined)) {
    const got = content === undefined ? "neither" : "both";
    faults.push({ field: "content", got, wanted: "one of content and content_fd" });
  }
  if (lines !== undefined && content_fd === undefined) {
    faults.push({ field: "lines", got: "lines without content_fd", wanted: "content_fd with lines" });
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

/** One way to name the slice (`read_all` allows `start` and `count`), and only what an extraction can take. */
export function readFaults(given: Given): ArgumentFault[] {
  const { read_all, tail, since, start, count, mode, extract_to_new_fd, number, max_chars } = given;
  const all = read_all === true || undefined;
  const faults = nameFaults(given);
  if (extract_to_new_fd === true) {
    if (number === true) faults.push(together("number", "extract_to_new_fd"));
    if (max_chars !== undefined) faults.push(together("max_chars", "extract_to_new_fd"));
  }
  const [way, others] = since !== undefined
    ? ["since", { read_all: all, mode, start, count, tail }]
    : tail !== undefined
    ? ["tail", all === true ? { read_all: all } : { start, count }]
    : ["", {}];
  const clashes = Object.entries(others).filter(([, value]) => value !== undefined);
  return [...clashes.map(([field]) => together(field, way)), ...faults];
}

/** One fd or all; extracting or counting; and a name only for a new fd. */
export function searchFaults(given: Given): ArgumentFault[] {
  const { fd, all_fds, extract_to_new_fd, count } = given;
  const faults = nameFaults(given);
  const extracts = extract_to_new_fd === true;
  if (given["only_matching"] === true && given["invert"] === true) {
    faults.unshift(together("invert", "only_matching"));
  }
  if (extracts && count === true) faults.unshift(together("count", "extract_to_new_fd"));
  if (all_fds !== true) {
    if (fd === undefined) {
      faults.unshift({ field: "fd", got: "nothing", wanted: "a string (it is required), or all_fds" });
    }
    return faults;
  }
  if (fd !== undefined) faults.push(together("fd", "all_fds"));
  if (extracts) faults.push(together("extract_to_new_fd", "all_fds"));
  return faults;
}

function nameFaults({ name, extract_to_new_fd }: Given): ArgumentFault[] {
  if (name === undefined || extract_to_new_fd === true) return [];
  return [{ field: "name", got: "name without extract_to_new_fd", wanted: "extract_to_new_fd with it" }];
}

function together(field: string, other: string): ArgumentFault {
  return { field, got: `${field} with ${other}`, wanted: "only one of them" };
}
