/**
 * `--check-structure`: parses JSON, TOML and YAML, and pairs the brackets of source code. Parsers are loaded only
 * when needed.
 */

import { type ParseError, parseTree } from "jsonc-parser";
import type { TomlError } from "smol-toml";
import { jsonFault } from "../../calls/requests/json_fault.ts";
import { bracketProblems } from "./bracket_balance.ts";
import type { LineProblem, WriteFault } from "../../calls/terms/write_faults.ts";

type StructureFault = Extract<WriteFault, { kind: "structure_invalid" }>;

/** Nested too deeply for a parser's stack: unchecked, possibly valid. */
const TOO_DEEP: LineProblem = { lineNumber: undefined, problem: "too deeply nested to check" };

/** JSON files that may have comments and trailing commas: their brackets are paired instead. */
const RELAXED_JSON =
  /\.(?:jsonc|json5|code-workspace)$|(?:^|[\\/])(?:tsconfig|jsconfig|devcontainer|settings|launch|tasks|extensions|deno|\.eslintrc)[^\\/]*\.json$/i;

/**
 * Checks the structure of `text` by the file's name: a fault without problems if it is valid, undefined if the language is unknown
 * or not understood. `before` is the current content: a bracket problem that it has too is not reported, since it means that the
 * check misunderstands the language.
 */
export async function checkStructure(
  text: string,
  fileName: string,
  before: string | undefined,
): Promise<StructureFault | undefined> {
  const content = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const found = (language: string, problems: LineProblem[]): StructureFault => (
    { kind: "structure_invalid", language, problems }
  );
  if (RELAXED_JSON.test(fileName)) return found("JSON", bracketProblems(content, "x.js")?.problems ?? []);
  if (/\.(?:json|webmanifest|geojson|ipynb|map)$/i.test(fileName)) {
    return found("JSON", jsonProblems(content));
  }
  if (/\.(?:jsonl|ndjson)$/i.test(fileName)) return found("JSON lines", jsonLineProblems(content));
  if (/\.toml$/i.test(fileName)) return found("TOML", await tomlProblems(content));
  if (/\.ya?ml$/i.test(fileName)) return found("YAML", await yamlProblems(content));
  const brackets = bracketProblems(content, fileName);
  const isOld = before !== undefined && (bracketProblems(before, fileName)?.problems ?? []).length > 0;
  return brackets && found(brackets.language, isOld ? [] : brackets.problems);
}

function jsonProblems(text: string): LineProblem[] {
  const errors: ParseError[] = [];
  try {
    JSON.parse(text);
    return [];
  } catch (thrown) {
    try {
      parseTree(text, errors, { disallowComments: true });
    } catch {
      return [TOO_DEEP];
    }
    const [error] = errors;
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    return [error === undefined ? { lineNumber: undefined, problem } : jsonFault(text, error)];
  }
}

function jsonLineProblems(text: string): LineProblem[] {
  return text.split("\n").flatMap((line, index) =>
    line.trim() === "" ? [] : jsonProblems(line).map((found) => ({ ...found, lineNumber: index + 1 }))
  ).slice(0, 5);
}

async function tomlProblems(text: string): Promise<LineProblem[]> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    parse(text);
    return [];
  } catch (thrown) {
    if (thrown instanceof RangeError) return [TOO_DEEP];
    if (!(thrown instanceof TomlError)) throw thrown;
    return [tomlFault(thrown)];
  }
}

/** The parser's message without the lines of the text that it shows. */
export function tomlFault({ message, line, column }: TomlError): LineProblem {
  const [problem = ""] = message.split("\n");
  return { lineNumber: line, column, problem: problem.replace(/^Invalid TOML document:\s*/, "").trim() };
}

/** The deepest nesting that is checked. */
const MAX_YAML_LEVELS = 1000;

async function yamlProblems(text: string): Promise<LineProblem[]> {
  const yaml = await import("js-yaml");
  // Tags of other programs (`!Ref`) are valid, and a key may be a collection.
  const anyTag = ["!", "tag:"].flatMap((prefix) => [
    yaml.defineScalarTag(prefix, {
      matchByTagPrefix: true,
      identify: () => false,
      resolve: (source) => source,
    }),
    yaml.defineSequenceTag(prefix, {
      matchByTagPrefix: true,
      identify: () => false,
      create: (): unknown[] => [],
      addItem: (list, item) => void list.push(item),
    }),
    { ...yaml.realMapTag, tagName: prefix, matchByTagPrefix: true },
  ]);
  const schema = yaml.CORE_SCHEMA.withTags(yaml.realMapTag, anyTag);
  try {
    yaml.loadAll(text, { schema, maxDepth: MAX_YAML_LEVELS });
    return [];
  } catch (thrown) {
    if (thrown instanceof RangeError) return [TOO_DEEP];
    if (!(thrown instanceof yaml.YAMLException)) throw thrown;
    if (/exceeded maxDepth/.test(thrown.reason)) return [TOO_DEEP];
    const { mark } = thrown;
    return [{ lineNumber: mark === undefined ? undefined : mark.line + 1, problem: thrown.reason }];
  }
}
