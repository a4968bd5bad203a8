/** fdtool: what the process has (host and arguments) goes to the tool; what comes back is the exit code. @module */

import process from "node:process";
import { runCli } from "./src/cli.ts";

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  uid: process.geteuid?.() ?? -1,
});
