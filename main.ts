/** fdtool: what the process has (host and arguments) goes to the tool; what comes back is the exit code. @module */

import { runCli } from "./src/cli.ts";

const exitCode = runCli(process.argv.slice(2), process.env);
if (typeof exitCode === "number") process.exitCode = exitCode;
// Not awaited: a program whose module waits for something starts a fiftieth later.
else void exitCode.then((code) => process.exitCode = code);
