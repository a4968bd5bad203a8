/** fdtool: what the process has (host and arguments) goes to the tool; what comes back is the exit code. @module */

import { runCli } from "./src/cli.ts";

const exitCode = runCli(process.argv.slice(2), process.env);
// All is written by then: what the runtime does before it ends on its own would find nothing to do.
if (typeof exitCode === "number") process.exit(exitCode);
// Not awaited: a program whose module waits for something starts a fiftieth later.
else void exitCode.then((code) => process.exitCode = code);
