import { runCli } from "./src/cli.ts";

const exitCode = runCli(process.argv.slice(2), process.env);
// Everything is written by now; exiting here skips the runtime's own shutdown work.
if (typeof exitCode === "number") process.exit(exitCode);
// Not awaited: top-level await starts a program a fiftieth later.
else void exitCode.then((code) => process.exitCode = code);
