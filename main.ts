import { runCli } from "./src/cli.ts";

// Not awaited: top-level await starts a program a fiftieth later.
void runCli(process.argv.slice(2), process.env).then((code) => process.exitCode = code);
