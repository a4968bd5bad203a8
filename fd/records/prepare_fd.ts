/** Prepares fds of a shared store before they are looked up. */

import { readName } from "../store/bind_name.ts";
import { parseFdArgument } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "./record_log.ts";

/**
 * Gets what `findFd` and opening the content need, if `store` is the cache of a shared store. Other words are left to
 * `findFd`, and so are failures.
 */
export async function prepareFd(store: Store, argument: string): Promise<void> {
  const { shared } = store;
  const parsed = shared && parseFdArgument(argument);
  if (shared === undefined || parsed === undefined) return;
  if (parsed.by === "name") await shared.prepare({ kind: "name", name: parsed.name });
  const id = parsed.by === "id" ? parsed.id : readName(store, parsed.name)?.id;
  if (id === undefined) return;
  await shared.prepare({ kind: "record", id });
  const { seal, tomb } = readLog(store, id) ?? {};
  if (tomb === undefined && seal?.bytes !== 0) await shared.prepare({ kind: "block", id, block: 0 });
}
