/**
 * A process that publishes fds on an object store, after finishing the uploads that processes before it left in DIRECTORY:
 * `publish_many.ts URL DIRECTORY LABEL COUNT BYTES`. It prints `LABEL ID` for each, once the fd has its id.
 */

import { openObjectStore, parseStoreUrl } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import {
  listPending,
  type PendingUpload,
  startPending,
  takeOverPending,
} from "../../fd/shared/objects/pending_upload.ts";
import { publishFd, type UploadClock } from "../../fd/shared/objects/publish_fd.ts";
import { labelledContent, sampleUpload } from "./sample_upload.ts";

const [url = "", directory = "", label = "", count = "", byteCount = ""] = Deno.args;
const objects = openObjectStore(parseStoreUrl(url, "--store"), { env: Deno.env.toObject() });
const newNonce = () => crypto.getRandomValues(new Uint8Array(16));
let known: { id: number; isFresh: boolean } | undefined;

const CLOCK: UploadClock = {
  nowMs: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

async function publish(pending: PendingUpload): Promise<void> {
  const name = `${label}-${pending.localId};`;
  const source = sampleUpload(labelledContent(name, Number(byteCount)));
  for (;;) {
    try {
      const { id } = await publishFd(objects, source, pending, { known, newNonce, clock: CLOCK });
      known = { id, isFresh: true };
      console.log(`${name} ${id}`);
      return;
    } catch (thrown) {
      // A later call goes on from the note.
      if (!(thrown instanceof FdError && thrown.failure.kind === "store_unreachable")) throw thrown;
    }
  }
}

let done = 0;
for (const name of listPending(directory)) {
  const pending = takeOverPending(directory, name);
  if (pending !== undefined) await publish(pending);
  done++;
}
for (let turn = done + 1; turn <= Number(count); turn++) {
  await publish(startPending(directory, newNonce(), { localId: turn }));
}
