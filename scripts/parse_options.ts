import process from "node:process";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** Parses options, by default those of this process. A wrong one ends it: exit code 2, with what is wrong on stderr. */
export function parseOptions<const Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs(config);
  } catch (thrown) {
    const isUsage = thrown instanceof Error && "code" in thrown &&
      String(thrown.code).startsWith("ERR_PARSE_ARGS");
    if (!isUsage) throw thrown;
    console.error(`fdtool: ${thrown.message}`);
    process.exit(2);
  }
}
