/**
 * `ref extract`: stores the references of a model's message and hands the message on (contract, Agents). It fails
 * open: whatever becomes of the references, the message comes out as it came in.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import {
  bindForAll,
  formatFd,
  putPieces,
  readName,
  shareSealed,
  type Spool,
  startSpool,
  type Store,
  sweepSometimes,
} from "../../fd/mod.ts";
import { failureIn, type FdFailure } from "../../fd/system.ts";
import type { AnswerOf, RefList } from "../calls/terms/answers.ts";
import { boundReference } from "../answers/parts/fd_summary.ts";
import { listFew } from "../answers/parts/first_few.ts";
import { forwardTo } from "../capturing/forward_output.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { readStdin } from "../calls/streams/read_stdin.ts";
import {
  MAX_REFERENCES,
  type MessageReferences,
  type OddTag,
  scanReferences,
  type TagFault,
} from "../reading/scan_references.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

const PIECE_BYTES = 65_536;

export const command = defineOperation({
  fields: {
    action: { kind: "text", isArgument: true },
    report: flagOption("print the stored references instead of the message"),
  },
  usage: "[extract] [--report] < MESSAGE",
  values: { action: ["extract"] },
  example: `printf '%s\\n' 'The plan: <ref id="plan">1. build 2. test</ref>' | fdtool ref extract --report`,
  exitCodes: {
    0: "the message was printed; also if storing failed (see stderr)",
    1: "stdin could not be read completely, stdout could not be written, or (with --report) storing failed",
  },
  answer({ action = "extract", report }, host) {
    if (action !== "extract") {
      failValue("ref", "ACTION", action, "extract, list or name");
    }
    return extractReferences(host, report === true);
  },
});

async function extractReferences(host: Host, reports: boolean): Promise<Outcome> {
  const message = startSpool(() => openHostStore(host));
  try {
    const { found, unspooled, lost } = takeMessage(message, !reports);
    const kept = await keepReferences(message, unspooled, found, host);
    const notice = messageNotice(found, kept);
    const unswept = kept.store === undefined ? [] : await sweep(kept.store);
    const isDone = lost.length === 0 && !(reports && kept.failures.length > 0);
    return {
      exitCode: isDone ? 0 : 1,
      answer: reports ? await reportOf(kept) : undefined,
      asides: notice === undefined ? [] : [notice],
      failures: [...lost, ...kept.failures, ...unswept],
    };
  } finally {
    message.close();
  }
}

/**
 * Reads stdin to its end, forwards it as it comes if `handsOn`, and buffers it. `unspooled` is why it could not be
 * buffered, and so its references not be stored.
 */
function takeMessage(message: Spool, handsOn: boolean) {
  const target = forwardTo("stdout");
  const scan = scanReferences();
  const unread: FdFailure[] = [];
  const unspooled: FdFailure[] = [];
  const piece = new Uint8Array(PIECE_BYTES);
  for (let isReaderOpen = handsOn;;) {
    let byteLength = 0;
    try {
      byteLength = readStdin(piece);
    } catch (thrown) {
      unread.push(failureIn(thrown));
    }
    if (byteLength === 0) return { found: scan.end(), unspooled, lost: [...unread, ...target.failures] };
    const bytes = piece.subarray(0, byteLength);
    if (isReaderOpen) isReaderOpen = target.forward(bytes);
    if (unspooled.length > 0) continue;
    try {
      message.add(bytes);
      scan.push(bytes);
    } catch (thrown) {
      unspooled.push(failureIn(thrown));
    }
  }
}

/** The references that were stored and bound, and those that were not. */
interface KeptReferences {
  /** Bound names, each once, in the order of their last references. */
  names: Set<string>;
  /** Names that were bound to other fds before. */
  rebound: { id: string; fd: string; previous_fd: string }[];
  /** References that were not stored. */
  unstored: string[];
  failures: FdFailure[];
  store: Store | undefined;
}

/**
 * Stores the references until one fails, since a full store stays full, and binds their names in order: the last of several with
 * one name keeps it, and the earlier fds stay.
 */
async function keepReferences(
  message: Spool,
  unspooled: FdFailure[],
  { references }: MessageReferences,
  host: Host,
): Promise<KeptReferences> {
  const kept: KeptReferences = {
    names: new Set(),
    rebound: [],
    unstored: references.map(({ name }) => `ref:${name}`),
    failures: unspooled,
    store: undefined,
  };
  if (unspooled.length > 0 || references.length === 0) return kept;
  const options = { source: "reference", cwd: host.cwd, maxBytes: 0 };
  try {
    const store = kept.store = openHostStore(host);
    for (const { name, fromByte, toByte } of references) {
      const { id } = await shareSealed(store, putPieces(store, message.read(fromByte, toByte), options));
      const previousId = await bindForAll(store, name, id);
      if (previousId !== undefined) {
        kept.rebound.push({ id: `ref:${name}`, fd: formatFd(id), previous_fd: formatFd(previousId) });
      }
      kept.unstored.shift();
      kept.names.delete(name);
      kept.names.add(name);
    }
  } catch (thrown) {
    kept.failures = [failureIn(thrown)];
  }
  return kept;
}

async function reportOf({ store, names }: KeptReferences): Promise<RefList> {
  const bound = store === undefined ? [] : [...names].flatMap((name) => readName(store, name) ?? []);
  return { type: "ref_list", refs: await Promise.all(bound.map((each) => boundReference(store!, each))) };
}

/** The store cleans itself in passing (contract, The store). */
async function sweep(store: Store): Promise<FdFailure[]> {
  return await sweepSometimes(store, Date.now()).then(() => [], (thrown) => [failureIn(thrown)]);
}

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
function messageNotice(
  { oddTags, oddTagCount }: MessageReferences,
  { rebound, unstored }: KeptReferences,
): AnswerOf<"ref_notice"> | undefined {
  const sentences = rebound.slice(0, MAX_NAMED).map(({ id, fd, previous_fd }) =>
    `${id} is now ${fd} (was ${previous_fd}).`
  );
  if (rebound.length > MAX_NAMED) sentences.push(`${rebound.length - MAX_NAMED} more names were rebound.`);
  if (unstored.length > 0) sentences.push(`Not stored: ${listFew(unstored, MAX_NAMED)}.`);
  if (oddTagCount > 0) sentences.push(oddTagsSentence(oddTags, oddTagCount));
  if (sentences.length === 0) return undefined;
  const listed = <Item>(items: readonly Item[]) =>
    items.length === 0 ? undefined : items.slice(0, MAX_LISTED);
  return {
    type: "ref_notice",
    replaced_total: rebound.length || undefined,
    replaced: listed(rebound),
    unstored_total: unstored.length || undefined,
    unstored: listed(unstored),
    malformed_total: oddTagCount || undefined,
    malformed: listed(oddTags.map(({ fault, lineNumber, tag }) => ({
      line: lineNumber,
      tag,
      why: FAULTS[fault],
    }))),
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
