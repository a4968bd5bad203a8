/**
 * Reports problems with a message's references: names that were rebound, references that were not stored, malformed
 * tags.
 */

import { formatFd } from "../../fd/mod.ts";
import type { RefNotice } from "../terms/answers.ts";
import type { MessageReferences, OddTag, TagFault } from "./scan_references.ts";
import { MAX_REFERENCES } from "./scan_references.ts";
import type { StoredReferences } from "./store_references.ts";

/** Items of each kind named in the message; the fields list more. */
const MAX_NAMED = 3;
const MAX_LISTED = 20;

const FAULTS: Readonly<Record<TagFault, string>> = {
  "unclosed": "is not closed",
  "no id": 'has no id="NAME"',
  "bad name": "has an invalid name (expected 1 to 128 of A-Z a-z 0-9 . _ -)",
  "no content": "has no content",
  "unfinished": "is incomplete",
  "stray": "has no opening tag",
  "too many": `comes after ${MAX_REFERENCES} others`,
};

/** Returns the notice; undefined if there is nothing to report. */
export function messageNotice(
  { oddTags, oddTagCount }: MessageReferences,
  { rebindings, unstored }: StoredReferences,
): RefNotice | undefined {
  const sentences = rebindings.slice(0, MAX_NAMED).map(({ name, id, previousId }) =>
    `ref:${name} is now ${formatFd(id)} (was ${formatFd(previousId)}).`
  );
  if (rebindings.length > MAX_NAMED) {
    sentences.push(`${rebindings.length - MAX_NAMED} more names were rebound.`);
  }
  if (unstored.length > 0) {
    const names = unstored.slice(0, MAX_NAMED).map((name) => `ref:${name}`).join(", ");
    sentences.push(`Not stored: ${names}${more(unstored)}.`);
  }
  if (oddTagCount > 0) sentences.push(oddTagsSentence(oddTags, oddTagCount));
  if (sentences.length === 0) return undefined;
  return {
    type: "ref_notice",
    replaced_total: rebindings.length === 0 ? undefined : rebindings.length,
    replaced: rebindings.length === 0
      ? undefined
      : rebindings.slice(0, MAX_LISTED).map(({ name, id, previousId }) => ({
        id: `ref:${name}`,
        fd: formatFd(id),
        previous_fd: formatFd(previousId),
      })),
    unstored_total: unstored.length === 0 ? undefined : unstored.length,
    unstored: unstored.length === 0 ? undefined : unstored.slice(0, MAX_LISTED).map((name) => `ref:${name}`),
    malformed_total: oddTagCount === 0 ? undefined : oddTagCount,
    malformed: oddTagCount === 0 ? undefined : oddTags.map(({ fault, lineNumber, tag }) => ({
      line: lineNumber,
      tag,
      why: FAULTS[fault],
    })),
    message: sentences.join(" "),
  };
}

function oddTagsSentence(oddTags: readonly OddTag[], count: number): string {
  const shown = oddTags.slice(0, MAX_NAMED).map(({ fault, lineNumber, tag }) =>
    `line ${lineNumber}: ${tag} ${FAULTS[fault]}`
  );
  const others = count > shown.length ? `; and ${count - shown.length} more` : "";
  return `Ignored: ${shown.join("; ")}${others}.`;
}

function more(names: readonly string[]): string {
  return names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
}
