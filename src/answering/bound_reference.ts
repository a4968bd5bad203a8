import { type BoundName, findFd, formatFd, type Store } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import type { RefList } from "../terms/answers.ts";

/** A name as `refs` lists it, with the state of an fd that was removed or is missing. */
export async function boundReference(
  store: Store,
  { name, id, boundMs }: BoundName,
): Promise<RefList["refs"][number]> {
  const ref = { id: `ref:${name}`, fd: formatFd(id), created: new Date(boundMs).toISOString() };
  await store.shared?.prepare({ kind: "record", id });
  try {
    const entry = findFd(store, formatFd(id));
    return { ...ref, lines: entry.lineCount, chars: entry.charCount };
  } catch (thrown) {
    const kind = thrown instanceof FdError ? thrown.failure.kind : undefined;
    if (kind === "removed") return { ...ref, lines: 0, chars: 0, state: "removed" };
    if (kind === "not_found" || kind === "store_corrupt") {
      return { ...ref, lines: 0, chars: 0, state: "lost" };
    }
    throw thrown;
  }
}
