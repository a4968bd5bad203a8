import type { Environment } from "../../fd/mod.ts";
import { STDOUT } from "../streams/standard_streams.ts";
import { isTerminal } from "../streams/terminal.ts";
import { isAgents } from "./agent_variables.ts";

/** The format of answers if neither the call nor `FDTOOL_FORMAT` chooses one: text for a person at a terminal. */
export async function usualFormat(env: Environment): Promise<"text" | "xml"> {
  return !isAgents(env) && await isTerminal(STDOUT) ? "text" : "xml";
}
