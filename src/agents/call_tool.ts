/**
 * Calls a tool with what a model wrote: parses it leniently, checks all of it, runs it once. `call`, MCP and jp all use
 * this.
 */

import { prepareFd } from "../../fd/mod.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import type { FramedAnswer } from "../calls/terms/answers.ts";
import type { Host, Operation, Outcome } from "../calls/terms/command.ts";
import { fdsIn } from "../calls/requests/fds_in.ts";
import { failUsage } from "../calls/requests/usage_failure.ts";
import { failUnknownTool } from "./choose_tools.ts";
import { shownValue, understandArguments } from "../calls/requests/lenient_arguments.ts";
import { understandJson, unusableIn } from "../calls/requests/lenient_json.ts";
import type { Tool } from "./tool.ts";
import { findTool, toolsOf } from "./tool_table.ts";

/** Arguments that the protocol sets. */
type Bounds = Readonly<Record<string, number | true>>;

/** Finds a tool by its name in any spelling (`readFd`, `read-fd`). Throws `unknown_tool`. */
export function namedTool(name: string, operations: readonly Operation[]): Tool {
  const plain = name.trim().replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll("-", "_");
  const tool = findTool(name, operations) ?? findTool(plain, operations);
  return tool ?? failUnknownTool(name, toolsOf(operations));
}

/**
 * Calls `tool` with arguments as a value; a string is parsed as JSON. A number in `bounds` is an upper bound; other
 * values in it override the argument. Throws `bad_arguments`, `bad_json`, `truncated_payload`, and what the tool throws.
 */
export async function callTool(
  tool: Tool,
  written: unknown,
  host: Host,
  bounds: Bounds = {},
): Promise<Outcome> {
  const { value, notes } = typeof written === "string"
    ? understandJson(written, `the arguments of ${tool.name}`)
    : { value: written ?? {}, notes: [] };
  const given = argumentsIn(tool, value, notes);
  const unusable = unusableIn(given);
  if (unusable !== undefined) {
    const { field, problem } = unusable;
    const faults = [{ field, got: problem, wanted: "valid UTF-8 text, not deeply nested" }];
    return failUsage({ kind: "bad_arguments", tool: tool.name, faults });
  }
  const understood = understandArguments(tool, given);
  if ("faults" in understood && tool.checksItself !== true) {
    return failUsage({ kind: "bad_arguments", tool: tool.name, faults: understood.faults });
  }
  const { request, notes: read } = "faults" in understood ? { request: given, notes: [] } : understood;
  for (const fd of fdsIn(tool.fields, { ...request })) await prepareFd(openHostStore(host), fd);
  const bounded = { ...request, ...smaller({ ...request }, bounds) };
  const { notes: own = [], ...outcome } = await tool.run(bounded, host);
  return withNotes(outcome, [...notes, ...read, ...own]);
}

function smaller(request: Readonly<Record<string, unknown>>, bounds: Bounds): Bounds {
  return Object.fromEntries(
    Object.entries(bounds).map(([name, bound]) => {
      const asked = request[name];
      return [name, typeof asked === "number" && typeof bound === "number" ? Math.min(asked, bound) : bound];
    }),
  );
}

/** The arguments: `value` itself, or its `arguments` if it is a whole call. */
function argumentsIn(tool: Tool, value: unknown, notes: string[]): Readonly<Record<string, unknown>> {
  const object = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    const faults = [{ field: "arguments", got: shownValue(value), wanted: "one JSON object" }];
    return failUsage({ kind: "bad_arguments", tool: tool.name, faults });
  }
  const { name, tool: toolName, type: _, id: __, ...rest } = object as Record<string, unknown>;
  const keys = Object.keys(rest);
  const [wrapper] = keys;
  const isWrapped = keys.length === 1 && wrapper !== undefined &&
    ["arguments", "input", "parameters", "args"].includes(wrapper) &&
    !Object.hasOwn(tool.fields, wrapper);
  if (!isWrapped) return object as Record<string, unknown>;
  const called = name ?? toolName;
  if (called !== undefined && called !== tool.name) {
    const faults = [{ field: "name", got: shownValue(called), wanted: `a call of ${tool.name}` }];
    failUsage({ kind: "bad_arguments", tool: tool.name, faults });
  }
  notes.push(`the arguments were taken from ${wrapper}`);
  const inner = rest[wrapper];
  if (typeof inner !== "string") return argumentsIn(tool, inner, notes);
  const understood = understandJson(inner, `the arguments of ${tool.name}`);
  notes.push(...understood.notes);
  return argumentsIn(tool, understood.value, notes);
}

function withNotes(outcome: Outcome, notes: readonly string[]): Outcome {
  const { answer } = outcome;
  if (notes.length === 0 || answer === undefined || answer.type === "pass_through") return outcome;
  const noted: FramedAnswer = { ...answer, ...{ notes: notes.join("; ") } };
  return { ...outcome, answer: noted };
}
