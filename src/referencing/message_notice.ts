/**
 * What is told of a message's references beside the answer: names that mean another fd now, tags that were left alone.
 *
 * @module
 */

import { formatFd } from "../../fd/mod.ts";
import type { RefNotice } from "../terms/answers.ts";
import type { MessageReferences, OddTag, TagFault } from "./scan_references.ts";
import { MOST_REFERENCES } from "./scan_references.ts";
import type { StoredReferences } from "./store_references.ts";

/** So many of each kind stand in the message; the lists hold more of them. */
const NAMED = 3;
const LISTED = 20;

const FAULTS: Readonly<Record<TagFault, string>> = {
  "unclosed": "is not closed",
  "no id": 'has no id="NAME"',
  "bad name": "has an invalid name (expected 1 to 128 of A-Z a-z 0-9 . _ -)",
  "no content": "has no content",
  "unfinished": "is incomplete",
  "stray": "has no opening tag",
  "too many": `comes after ${MOST_REFERENCES} others`,
};

/** The notice; undefined where there is nothing to tell. */
export function messageNotice(
  { oddTags, oddTagCount }: MessageReferences,
  { rebindings, unstored }: StoredReferences,
): RefNotice | undefined {
  const sentences = rebindings.slice(0, NAMED).map(({ name, id, previousId }) =>
    `ref:${name} is now ${formatFd(id)} (was ${formatFd(previousId)}).`
  );
  if (rebindings.length > NAMED) {
    sentences.push(`${rebindings.length - NAMED} more names were rebound.`);
  }
  if (unstored.length > 0) {
    const told = unstored.slice(0, NAMED).map((name) => `ref:${name}`).join(", ");
    sentences.push(`Not stored: ${told}${more(unstored)}.`);
  }
  if (oddTagCount > 0) sentences.push(oddTagsSentence(oddTags, oddTagCount));
  if (sentences.length === 0) return undefined;
  return {
    type: "ref_notice",
    replaced_total: rebindings.length === 0 ? undefined : rebindings.length,
    replaced: rebindings.length === 0
      ? undefined
      : rebindings.slice(0, LISTED).map(({ name, id, previousId }) => ({
        id: `ref:${name}`,
        fd: formatFd(id),
        previous_fd: formatFd(previousId),
      })),
    unstored_total: unstored.length === 0 ? undefined : unstored.length,
    unstored: unstored.length === 0 ? undefined : unstored.slice(0, LISTED).map((name) => `ref:${name}`),
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
  const told = oddTags.slice(0, NAMED).map(({ fault, lineNumber, tag }) =>
    `line ${lineNumber}: ${tag} ${FAULTS[fault]}`
  );
  const others = count > told.length ? `; and ${count - told.length} more` : "";
  return `Ignored: ${told.join("; ")}${others}.`;
}

function more(names: readonly string[]): string {
  return names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
}
