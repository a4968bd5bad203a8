/** fdtool: what the process has (host and arguments) goes to the tool; what comes back is the exit code. @module */

import { runCli } from "./src/cli.ts";

// Not awaited: a program whose module waits for something starts a fiftieth later.
void runCli(process.argv.slice(2), { env: process.env, uid: process.geteuid?.() ?? -1 }).then((exitCode) => {
  process.exitCode = exitCode;
});
