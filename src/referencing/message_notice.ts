/**
 * What is told of a message's references beside the answer: names that mean another fd now, tags that were left alone.
 *
 * @module
 */

import { formatFd } from "../../fd/mod.ts";
import type { RefNotice } from "../answers.ts";
import type { MessageReferences, OddTag, TagFault } from "./scan_references.ts";
import { MOST_REFERENCES } from "./scan_references.ts";
import type { StoredReferences } from "./store_references.ts";

const NAMED_TAGS = 3;

const FAULTS: Readonly<Record<TagFault, string>> = {
  "unclosed": "is not closed",
  "no id": 'has no id="NAME"',
  "bad name": "has a name that is not 1 to 128 of A-Z a-z 0-9 . _ -",
  "no content": "has no content",
  "unfinished": "does not end",
  "stray": "closes nothing",
  "too many": `comes after ${MOST_REFERENCES} others`,
};

/** The notice; undefined where there is nothing to tell. */
export function messageNotice(
  { oddTags, oddTagCount }: MessageReferences,
  { rebindings, unstored }: StoredReferences,
): RefNotice | undefined {
  const sentences = rebindings.map(({ name, id, previousId }) =>
    `ref:${name} is ${formatFd(id)}; before, it was ${formatFd(previousId)}.`
  );
  if (unstored.length > 0) sentences.push(`Not stored: ${unstored.map((name) => `ref:${name}`).join(", ")}.`);
  if (oddTagCount > 0) sentences.push(oddTagsSentence(oddTags, oddTagCount));
  if (sentences.length === 0) return undefined;
  return {
    type: "ref_notice",
    replaced: rebindings.length === 0 ? undefined : rebindings.map(({ name, id, previousId }) => ({
      id: `ref:${name}`,
      fd: formatFd(id),
      previous_fd: formatFd(previousId),
    })),
    unstored: unstored.length === 0 ? undefined : unstored.map((name) => `ref:${name}`),
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
  const told = oddTags.slice(0, NAMED_TAGS).map(({ fault, lineNumber, tag }) =>
    `line ${lineNumber}: ${tag} ${FAULTS[fault]}`
  );
  const more = count > told.length ? `; and ${count - told.length} more` : "";
  return `Left alone: ${told.join("; ")}${more}.`;
}
