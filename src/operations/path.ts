/**
 * `path`: where an fd's content lies, for other tools (contract, Commands).
 */

import { findFd, formatFd, plainFile } from "../../fd/mod.ts";
import type { Command } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";

export const command: Command = {
  spec: {
    usage: "FD",
    positionals: { least: 1, most: 1, names: ["fd"] },
    options: {},
    example: 'grep -n error "$(fdtool path fd:12)"',
    exitCodes: [[0, "the path was printed"], [1, "refused or failed"], [2, "usage error"]],
  },
  async run({ positionals }, host) {
    const store = openHostStore(host);
    const entry = findFd(store, positionals[0]!);
    return {
      exitCode: 0,
      answer: { type: "fd_path", fd: formatFd(entry.id), path: await plainFile(store, entry) },
    };
  },
};
