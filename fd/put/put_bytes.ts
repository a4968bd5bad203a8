import { checkBytes } from "../disk/check_argument.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { PutEnd } from "../records/seal_line.ts";
import type { Store } from "../store/open_store.ts";
import { giveUpPut } from "./give_up_put.ts";
import { beginPut } from "./put.ts";
import { checkPutOptions, type PutOptions } from "./put_options.ts";
import { fitsInRecord, putWhole } from "./put_whole.ts";

/** Stores `bytes` as a new fd. `end` describes how the command that wrote them ended. */
export function putBytes(store: Store, bytes: Uint8Array, options: PutOptions, end?: PutEnd): FdEntry {
  checkBytes("bytes", bytes);
  checkPutOptions(options);
  if (fitsInRecord(store, bytes.length, options)) return putWhole(store, bytes, options, end);
  const put = beginPut(store, options);
  try {
    put.write(bytes);
    return put.seal(end);
  } catch (thrown) {
    giveUpPut(put);
    throw thrown;
  }
}
