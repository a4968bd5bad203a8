/**
 * `spawn`: runs a command with a store of its own that holds only the fds and files it is given, and, if wished, their
 * content ahead of its stdin (contract, Agents).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { fdsToFork, findFd, forkStore, formatFd, highestId, putOpen, type Store } from "../../fd/mod.ts";
import { inFile } from "../../fd/system.ts";
import { preambleOf } from "../sharing/preamble.ts";
import { flagOption, type RequestFields, type RequestOf } from "../calls/requests/request_fields.ts";
import type { Host } from "../calls/terms/command.ts";
import { forkExitCodes, KEEP_FIELD, type MadeStore, runInStore } from "../sharing/run_in_store.ts";
import { namesFd } from "../calls/arguments/file_for_fd.ts";
import { openInRoot } from "../writing/commit/target_path.ts";

const FIELDS = {
  preload: {
    kind: "fds",
    option: { value: "FD...", help: "copy these fds, keeping their ids (all words up to -- that are fds)" },
  },
  preload_file: {
    kind: "words",
    option: { value: "PATH...", help: "add these files as new fds (all words up to -- that are not fds)" },
  },
  preamble: flagOption(
    "write the content to its stdin first, framed with the handles; of large content, the first page",
  ),
  keep: KEEP_FIELD,
  words: { kind: "fds", isArgument: true },
} as const satisfies RequestFields;

export const command = defineOperation({
  fields: FIELDS,
  usage: "[--preload FD...] [--preload-file PATH...] [--preamble] [--keep DIR] -- CMD [ARG...]",
  takesRest: true,
  values: { words: "FD|PATH" },
  example: "fdtool spawn --preload fd:3 --preload-file notes.md --preamble -- cat",
  failsOpen: true,
  exitCodes: forkExitCodes,
  async run(asked, host, { command, rest: words }) {
    return await runInStore({
      command,
      words,
      keepIn: asked.keep,
      makeStore: (from, path) => makeStore(from, path, asked, host),
    }, host);
  },
});

async function makeStore(
  from: Store,
  path: string,
  { preload = [], preload_file: paths = [], preamble, words = [] }: RequestOf<typeof FIELDS>,
  host: Host,
): Promise<MadeStore> {
  // Words that follow an option's first value are sorted by form: an fd is not a path, unless it is written `./12`.
  const isFd = (word: string) => namesFd(from, word, host.cwd);
  const fds = [...preload.flatMap((word) => word.split(",")), ...words.filter(isFd)];
  const entries = [...new Map(fds.map((fd) => findFd(from, fd)).map((entry) => [entry.id, entry])).values()];
  const chosen = entries.map(({ id }) => id);
  const cached = await fdsToFork(from, entries);
  const files: number[] = [];
  const report = forkStore(from, path, {
    ids: chosen.toSorted((a, b) => a - b),
    highestId: cached?.highestId,
    addTo(store) {
      for (const shown of [...paths, ...words.filter((word) => !isFd(word))]) {
        const options = { source: shown, maxBytes: 0 };
        files.push(inFile(openInRoot(shown, host), (file) => putOpen(store, file, options, shown)).id);
      }
    },
  });
  const { store } = report;
  const lastGivenId = highestId(store);
  const given = [...chosen, ...files].map((id) => findFd(store, formatFd(id)));
  return {
    report: { ...report, fdCount: given.length, highestId: lastGivenId },
    preamble: preamble === true ? await preambleOf(store, given) : undefined,
    lastGivenId,
  };
}
