/**
 * Stores a message's references as fds and binds their names in order: the last of several with one name keeps it, and
 * the earlier fds stay.
 */

import { bindForAll, putPieces, shareSealed, type Spool, type Store } from "../../fd/mod.ts";
import { FdError, type FdFailure } from "../../fd/system.ts";
import type { FoundReference } from "./scan_references.ts";

/** A name that was bound to another fd before. */
export interface Rebinding {
  name: string;
  id: number;
  previousId: number;
}

export interface StoredReferences {
  /** Bound names, each once, in the order of their last references. */
  names: string[];
  rebindings: Rebinding[];
  /** Names of references that were not stored, and why. */
  unstored: string[];
  failures: FdFailure[];
}

/** Stores `references` of `message` until one fails: a full store stays full. */
export async function storeReferences(
  store: Store,
  message: Spool,
  references: readonly FoundReference[],
  cwd: string,
): Promise<StoredReferences> {
  const names = new Set<string>();
  const rebindings: Rebinding[] = [];
  const options = { source: "reference", cwd, maxBytes: 0 };
  for (const [index, reference] of references.entries()) {
    const { name } = reference;
    try {
      const content = message.read(reference.fromByte, reference.toByte);
      const { id } = await shareSealed(store, putPieces(store, content, options));
      const previousId = await bindForAll(store, name, id);
      if (previousId !== undefined) rebindings.push({ name, id, previousId });
    } catch (thrown) {
      if (!(thrown instanceof FdError)) throw thrown;
      const unstored = references.slice(index).map((left) => left.name);
      return { names: [...names], rebindings, unstored, failures: [thrown.failure] };
    }
    names.delete(name);
    names.add(name);
  }
  return { names: [...names], rebindings, unstored: [], failures: [] };
}
