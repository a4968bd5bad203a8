/**
 * `ls`: what the store holds, newest last.
 */

import { Buffer } from "node:buffer";
import { sep } from "node:path";
import type { FdEntry, Store } from "../../fd/mod.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { checkRequest, defineOperation } from "../calls/arguments/define_operation.ts";
import { LIST_REQUEST } from "../calls/requests/list_request.ts";
import { ageOf } from "../calls/requests/duration.ts";
import {
  flagOption,
  type RequestFields,
  type RequestOf,
  textOption,
} from "../calls/requests/request_fields.ts";
import { type FdChoice, listOutcome } from "../reading/list_fds.ts";
import { isFailed } from "../reading/newest_fds.ts";
import { isInside } from "../writing/commit/resolve_path.ts";
import type { Outcome } from "../calls/terms/command.ts";

const LINE_FIELDS = {
  ...LIST_REQUEST.fields,
  failed: flagOption("show those of commands that failed"),
  here: flagOption("show those of commands that ran in this directory or below"),
  since: textOption("DURATION", "show those that are no older than 90s, 10m, 2h, 7d"),
  word: { kind: "words", isArgument: true },
} as const satisfies RequestFields;

/** The choice that a call makes among the fds; undefined if it makes none. */
function chosenBy(
  { failed = false, here = false, since, word = [] }: Partial<RequestOf<typeof LINE_FIELDS>>,
  cwd: string,
): FdChoice | undefined {
  if (!failed && !here && since === undefined && word.length === 0) return undefined;
  const earliestMs = since === undefined ? 0 : Date.now() - ageOf("ls", "--since", since);
  // Words may be in several arguments.
  const texts = word.flatMap((each) => each.split(" ")).map(inJson);
  if (here && sep === "/") texts.push(`"cwd":"${inJson(cwd)}`);
  return {
    isChosen: (entry) =>
      (!failed || isFailed(entry)) && (!here || entry.cwd !== undefined && isInside(entry.cwd, cwd)) &&
      entry.createdMs >= earliestMs && word.every((each) => wordsOf(entry).includes(each)),
    mayHave: (json) =>
      (!failed || /"signal"|"exitCode":[^0]/.test(json)) && texts.every((text) => json.includes(text)) &&
      (since === undefined ||
        [...json.matchAll(/"createdMs":(\d+)/g)].some(([, createdMs]) => Number(createdMs) >= earliestMs)),
  };
}

/** Text as it is in a string of JSON, its UTF-8 read as Latin-1. */
function inJson(text: string): string {
  return Buffer.from(JSON.stringify(text).slice(1, -1)).toString("latin1");
}

function wordsOf({ command, source }: FdEntry): string {
  return command === undefined ? source : command.join(" ");
}

export const command = defineOperation({
  ...LIST_REQUEST,
  usage: "[COMMAND…] [options]",
  values: { word: "TEXT" },
  line: LINE_FIELDS,
  example: "fdtool ls make --failed --since 2h",
  noticesInterrupted: true,
  exitCodes: { 0: "the list was printed", 1: "refused or failed, or a record is unreadable" },
  answer: (request, host) => listOutcome(openHostStore(host), request, host.isForPeople),
  async run({ failed, here, since, word, ...request }, host, { command }) {
    checkRequest(command, LIST_REQUEST, request);
    const store = openHostStore(host);
    const choice = chosenBy({ failed, here, since, word }, host.cwd);
    const outcome = await listOutcome(store, request, host.isForPeople, choice);
    return request.removed === true || choice !== undefined ? outcome : withEmptyStoreNote(outcome, store);
  },
});

/** Adds to the list of an empty store, unless some of it could not be read, which one it is, and how it is filled. */
function withEmptyStoreNote(outcome: Outcome, { path }: Store): Outcome {
  const { answer, failures = [] } = outcome;
  if (answer?.type !== "fd_list" || answer.total !== 0 || failures.length > 0) return outcome;
  const message = `The store ${path} is empty. To keep what a command prints: fdtool run -- COMMAND`;
  return { ...outcome, answer: { ...answer, message } };
}
