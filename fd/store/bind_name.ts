/**
 * Names for fds: `ref:NAME` (contract, The store). A name is a file that contains an id. It is replaced by renaming,
 * so at every moment it names the old fd or the new one. The last binding wins.
 */

import { makePrivateDirectory, openReader, replacePrivate } from "../disk/private_files.ts";
import { blockSumText } from "../bytes/block_sum.ts";
import { inFile, syncDirectory } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { attempt, FdError, ifPossible, refuse } from "../disk/errors.ts";
import { encodeCheckedLine, lastCheckedLine, readCheckedLog } from "./checked_log.ts";
import { checkName, isName } from "./fd_id.ts";
import { namesListingPath } from "./further_paths.ts";
import { makeStore, type Store } from "./open_store.ts";
import { namePath, namesPath, temporaryPath } from "./store_paths.ts";
import { utf8Bytes, utf8Text } from "../bytes/utf8_bytes.ts";

/** A name and the fd that it is bound to. */
export interface BoundName {
  /** Without `ref:`. */
  name: string;
  /** The fd it names, which may have been removed since. */
  id: number;
  /** Milliseconds since 1970. */
  boundMs: number;
}

/**
 * Binds `name` to fd `id`. Returns the id it was bound to before. The binding is durable when this returns.
 *
 * @throws {FdError} `invalid_parameter` for an invalid name; `storage_full`, `permission_error`, `write_error`.
 */
export function bindName(store: Store, name: string, id: number): number | undefined {
  checkName(name);
  refuseUnfitName(name, () => filesOfNames(store), process.platform);
  const before = nameIn(store, name)?.id;
  const path = namePath(store.path, name);
  attempt("write", "bind the name", path, () => {
    makeStore(store);
    makePrivateDirectory(namesPath(store.path));
    replacePrivate(temporaryPath(store.path, "name"), path, utf8Bytes(nameLine(name, id)), true);
    syncDirectory(namesPath(store.path));
  });
  return before;
}

/** Binds a name like {@link bindName}; in a shared store, for all hosts. */
export async function bindForAll(store: Store, name: string, id: number): Promise<number | undefined> {
  checkName(name);
  return await (store.backend.bind(name, id) ?? bindName(store, name, id));
}

/** Encodes the file of `name` bound to fd `id` (FORMAT.md, "Names"). */
export function nameLine(name: string, id: number): string {
  return `${id} ${sumOf(name, id)}\n`;
}

/** The checksum of a binding. */
export function sumOf(name: string, id: number | string): string {
  return blockSumText(utf8Bytes(`${name} ${id}`));
}

/** Returns the binding of `name`, or undefined if it is not bound or its file is damaged. */
export function readName(store: Store, name: string): BoundName | undefined {
  store.backend.check({ kind: "name", name });
  return nameIn(store, name);
}

/** Returns the binding that the directory of `store` has, even if it is a cache. */
function nameIn(store: Store, name: string): BoundName | undefined {
  const path = namePath(store.path, name);
  const read = () =>
    inFile(openReader(path), (file) => {
      const bytes = new Uint8Array(32);
      const text = utf8Text(bytes.subarray(0, disk.read(file, bytes, 0, bytes.length, 0)));
      const [, id, sum] = /^([1-9][0-9]{0,14}) ([0-9a-f]{8})\n$/.exec(text) ?? [];
      return id === undefined || sum !== sumOf(name, Number(id))
        ? undefined
        : { name, id: Number(id), boundMs: Math.floor(disk.fstat(file).mtimeMs) };
    });
  return attempt("read", "read the name", path, () => ifPossible(read, "ENOENT"));
}

/**
 * Lists all names, sorted. Calls `onDamaged` with the path of a name whose file is damaged or not a regular file;
 * such a name is not bound. Without `onDamaged`, many names come from one file, if they were listed since the last binding.
 */
export function listNames(store: Store, onDamaged?: (path: string) => void): BoundName[] {
  store.backend.check({ kind: "names" });
  // Before anything is read: what changes later makes the time another one.
  const changedMs = ifPossible(() => disk.stat(namesPath(store.path), { throwIfNoEntry: false })?.mtimeMs);
  const listed = onDamaged === undefined ? namesListedAt(store, changedMs) : undefined;
  if (listed !== undefined) return listed;
  const names = boundNames(store, onDamaged);
  if (names.length >= WORTH_LISTING && changedMs !== undefined && Date.now() - changedMs >= QUIET_MS) {
    const values = names.flatMap(({ name, id, boundMs }) => [name, id, boundMs]);
    const line = encodeCheckedLine({ directory_ms: changedMs, names: values });
    // Without the file, the next list is only slower.
    ifPossible(() => replacePrivate(temporaryPath(store.path, "names"), namesListingPath(store.path), line));
  }
  return names;
}

const WORTH_LISTING = 500;
/** A directory that changed more recently may change again within the same step of its time. */
const QUIET_MS = 2000;

/** The names of the listing; undefined if there is none, or the directory has changed since. */
function namesListedAt(store: Store, changedMs: number | undefined): BoundName[] | undefined {
  const path = namesListingPath(store.path);
  const line = ifPossible(() => lastCheckedLine(readCheckedLog(path, "names")), FdError) as
    | { directory_ms: number; names: (string | number)[] }
    | undefined;
  if (line === undefined || line.directory_ms !== changedMs) return undefined;
  const { names } = line;
  return Array.from({ length: names.length / 3 }, (_, index) => ({
    name: names[3 * index] as string,
    id: names[3 * index + 1] as number,
    boundMs: names[3 * index + 2] as number,
  }));
}

function boundNames(store: Store, onDamaged: (path: string) => void = () => {}): BoundName[] {
  return filesOfNames(store).filter(isName).sort().flatMap((name) => {
    const path = namePath(store.path, name);
    const isFile = () => disk.lstat(path, { throwIfNoEntry: false })?.isFile();
    try {
      const bound = nameIn(store, name);
      if (bound !== undefined) return bound;
      // It may have been deleted since the names were listed.
      if (isFile() === undefined) return [];
    } catch (thrown) {
      if (!(thrown instanceof FdError) || isFile() !== false) throw thrown;
    }
    onDamaged(path);
    return [];
  });
}

function filesOfNames(store: Store): string[] {
  const path = namesPath(store.path);
  const list = () => disk.readdir(path) as string[];
  return attempt("read", "list the names", path, () => ifPossible(list, "ENOENT")) ?? [];
}

/**
 * Refuses a name that would lead to a device of Windows, which drops a final dot too; and, on systems that take `Log` and
 * `log` for one file, a name that differs from one of `names` only in case, and would replace it.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function refuseUnfitName(name: string, names: () => readonly string[], platform: string): void {
  if (platform !== "win32" && platform !== "darwin") return;
  const refuseName = (wanted: string): never => refuse("name", name, wanted);
  if (platform === "win32") {
    if (name.endsWith(".")) refuseName("a name that does not end with a dot, which Windows leaves out");
    // Also with an ending.
    const isDevice = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$/i.test(name);
    if (isDevice) refuseName("a name that is not of a device of Windows");
  }
  const folded = name.toLowerCase();
  const twin = names().find((other) => other !== name && other.toLowerCase() === folded);
  if (twin !== undefined) refuseName(`a name that differs from ref:${twin} in more than case`);
}
