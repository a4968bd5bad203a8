/**
 * `diff`: what changed between two fds, such as two runs of a command, or between an fd and a file, as unified hunks with
 * the line numbers of both.
 */

import { formatFd, putFile, shareSealed, type Store } from "../../fd/mod.ts";
import { inSentences } from "../answering/next_command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { defineOperation } from "../arguments/define_operation.ts";
import { requestFrom } from "../arguments/field_options.ts";
import { isFileForFd, namesFd } from "../arguments/file_for_fd.ts";
import { DIFF_REQUEST } from "../requests/diff_request.ts";
import { runsUnasked } from "../terms/unasked_commands.ts";
import type { Host } from "../terms/command.ts";
import { resolveInRoot } from "../writing/commit/inspect_target.ts";

export const command = defineOperation({
  ...DIFF_REQUEST,
  usage: "OLD NEW [options]",
  example: "fdtool diff fd:12 fd:15 --volatile hide",
  exitCodes: { 0: "the fds are equal", 1: "the fds differ, or refused or failed (see stderr)" },
  async requestOf(call, host) {
    const request = requestFrom(DIFF_REQUEST.fields, call);
    const store = openHostStore(host);
    return {
      ...request,
      old_fd: await storedFile(store, request.old_fd, host),
      new_fd: await storedFile(store, request.new_fd, host),
    };
  },
  complete(outcome, { positionals }, host) {
    const { answer } = outcome;
    if (answer?.type !== "fd_diff") return outcome;
    const store = openHostStore(host);
    const stored = [answer.old_fd, answer.new_fd].flatMap((fd, index) => {
      const word = positionals[index]!;
      return namesFd(store, word, host.cwd) ? [] : [`${word} was stored as ${fd}.`];
    });
    return { ...outcome, answer: { ...answer, message: inSentences([...stored, answer.message]) } };
  },
  async answer(request, host) {
    const { diffFds } = await import("../reading/diff_fds.ts");
    const asked = host.isRaw === true ? { ...request, exact: true } : request;
    const answer = await diffFds(openHostStore(host), asked, host.checkpoint);
    return { exitCode: answer.identical ? 0 : 1, answer };
  },
});

/** The fd of a file, which is stored now, unless the call may run without a question. Else the word as it is. */
async function storedFile(store: Store, word: string, host: Host): Promise<string> {
  if (runsUnasked("diff", host.env)) return word;
  if (namesFd(store, word, host.cwd) || !isFileForFd({ kind: "not_found", fd: word })) return word;
  const entry = putFile(store, resolveInRoot(word, host, "read"), { source: word }, word);
  return formatFd((await shareSealed(store, entry)).id);
}
