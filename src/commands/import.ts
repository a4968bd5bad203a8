/**
 * `import`: takes in an archive that `export` wrote. All of it, or nothing.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { formatFd, type Imported, importFds, type Store } from "../../fd/mod.ts";
import { atEnd, closeReader, type OnProgress, readSome } from "../../fd/system.ts";
import { counted } from "../answers/parts/grouped_digits.ts";
import { firstFew, listFew } from "../answers/parts/first_few.ts";
import { REFS_REQUEST } from "../calls/requests/list_request.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { startWork } from "../answers/screen/work_progress.ts";
import { readStdin } from "../calls/streams/read_stdin.ts";
import { openInRoot, type Place } from "../writing/commit/target_path.ts";

/** The most names in a sentence. */
const MAX_NAMED = 10;

export const command = defineOperation({
  fields: { file: { kind: "text", isArgument: true }, all: REFS_REQUEST.fields.all },
  usage: "[FILE] [--all]",
  example: "fdtool import build.tar",
  exitCodes: { 0: "all fds of the archive are in the store", 1: "refused or failed; nothing was stored" },
  reportsChange: true,
  async answer({ file = "-", all }, host) {
    const store = openHostStore(host);
    const work = await startWork(host.env);
    const onProgress: OnProgress = (...progress) => work.report("importing", ...progress);
    const imported = await (file === "-"
      ? importFds(store, readStdin, onProgress)
      : importFile(store, file, host, onProgress)).finally(work.end);
    const [first] = imported;
    const taken = imported.flatMap(({ takenNames }) =>
      takenNames.map((name) => `ref:${name}`)
    );
    const most = all === true ? Infinity : MAX_LISTED;
    const shown = firstFew(imported, most);
    const shownTaken = firstFew(taken, most);
    const but = taken.length === 0
      ? ""
      : ` Names already bound in this store were not changed: ${listFew(taken, MAX_NAMED)}.`;
    return {
      exitCode: 0,
      answer: {
        type: "fd_import",
        facts: {
          fd_count: imported.length,
          fds: shown.shown.map(({ entry, oldId, names }) => ({
            fd: formatFd(entry.id),
            was: formatFd(oldId),
            bytes: entry.byteCount,
            source: entry.source,
            names: names.length === 0 ? undefined : names,
          })),
          more_fds: shown.more,
          names_taken: taken.length === 0 ? undefined : shownTaken.shown.map((name) => ({ name })),
          more_names_taken: shownTaken.more,
        },
        message: `Imported ${counted(imported.length, "fd")}, under new ids.${but}${
          shown.more === undefined ? "" : ` The first ${MAX_LISTED} are listed.`
        }`,
        next: imported.length === 1 && first !== undefined
          ? { command: "read", args: { fd: formatFd(first.entry.id) } }
          : { command: "ls", args: { limit: shown.more === undefined ? undefined : imported.length } },
      },
    };
  },
});

async function importFile(
  store: Store,
  path: string,
  place: Place,
  onProgress: OnProgress,
): Promise<Imported[]> {
  const file = openInRoot(path, place);
  using _file = atEnd(() => closeReader(file));
  return await importFds(store, (into) => readSome(file, into, into.length, path), onProgress);
}
