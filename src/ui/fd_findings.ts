/** The lines of an fd that matter, and what changed since its command ran before, in the words of the first answer. */

import { findFd, prepareContent, type Store } from "../../fd/mod.ts";
import { failingPlaces } from "../digest/digest_preview.ts";
import { changeCounts, changeSince } from "../digest/run_changes.ts";
import { plainText } from "../terms/control_chars.ts";
import { textIn } from "./check_request.ts";

/** Findings that are listed, at most one of a kind. */
const MAX_FINDINGS = 50;
/** Chars of a finding that are listed. */
const FINDING_CHARS = 300;

/** Another host's content is fetched whole for its findings up to this size. */
const MAX_FETCHED_BYTES = 32 * 2 ** 20;

/** Findings by line; `decisive` is the line that weighs most. Those of content that is still written would not stay. */
export async function fdFindings(store: Store, query: URLSearchParams) {
  const entry = findFd(store, textIn(query, "fd"));
  const isFar = store.shared?.fetches(entry.id) === true && entry.byteCount > MAX_FETCHED_BYTES;
  if (entry.state === "live" || isFar) return { findings: [], lines: [] };
  await prepareContent(store, entry);
  const { decisive, lines, findings } = failingPlaces(store, entry, MAX_FINDINGS);
  const change = store.shared === undefined ? changeSince(store, entry, Date.now()) : undefined;
  return {
    decisive,
    lines,
    findings: findings.map(({ line, text }) => ({
      line,
      text: plainText(text).trim().slice(0, FINDING_CHARS),
    })),
    change: change && { since: change.since, isSame: change.isSame, sentence: `${changeCounts(change)}.` },
  };
}
