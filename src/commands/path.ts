/**
 * `path`: where an fd's content lies, for other tools (contract, Commands).
 */

import { sharedFields } from "../calls/requests/shared_fields.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { findFd, formatFd, plainFile } from "../../fd/mod.ts";
import { withMissingRemark } from "../answers/parts/missing_remark.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";

export const command = defineOperation({
  fields: { fd: sharedFields().fdField },
  usage: "FD",
  example: 'grep -n error "$(fdtool path fd:12)"',
  exitCodes: { 0: "the path was printed", 1: "refused or failed" },
  async answer({ fd }, host) {
    const store = openHostStore(host);
    const entry = findFd(store, fd);
    // A copy of what another host writes does not grow.
    const isCopy = entry.state === "live" && entry.elsewhere !== undefined;
    const remark = isCopy ? withMissingRemark(entry, undefined) : undefined;
    return {
      exitCode: 0,
      asides: remark === undefined ? [] : [textAnswer(`fdtool: ${remark}\n`)],
      answer: { type: "fd_path", fd: formatFd(entry.id), path: await plainFile(store, entry) },
    };
  },
});
