/**
 * `--check-structure`: parses JSON, TOML and YAML, and pairs the brackets of source code. Parsers are loaded only
 * when needed.
 */

import { bracketLanguage, bracketProblems } from "./bracket_balance.ts";
import type { WriteFault } from "../../terms/write_faults.ts";

type StructureFault = Extract<WriteFault, { kind: "structure_invalid" }>;
type StructureProblem = StructureFault["problems"][number];

/** Nested too deeply for a parser's stack: unchecked, possibly valid. */
const TOO_DEEP: StructureProblem = { lineNumber: undefined, problem: "too deeply nested to check" };

/** JSON files that may have comments and trailing commas: their brackets are paired instead. */
const RELAXED_JSON =
  /\.(?:jsonc|json5|code-workspace)$|(?:^|[\\/])(?:tsconfig|jsconfig|devcontainer|settings|launch|tasks|extensions|deno|\.eslintrc)[^\\/]*\.json$/i;

/**
 * Checks the structure of `text` by the file's name. Returns undefined if it is valid, "unknown" if the language is
 * unknown or not understood. `before` is the current content: a bracket problem that it has too is not reported,
 * since it means that the check misunderstands the language.
 */
export async function checkStructure(
  text: string,
  fileName: string,
  before: string | undefined,
): Promise<StructureFault | "unknown" | undefined> {
  const content = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const found = await findProblems(content, fileName, before);
  if (found === undefined) return "unknown";
  if (found.problems.length === 0) return undefined;
  return { kind: "structure_invalid", language: found.language, problems: found.problems };
}

async function findProblems(
  text: string,
  fileName: string,
  before: string | undefined,
): Promise<{ language: string; problems: StructureProblem[] } | undefined> {
  if (RELAXED_JSON.test(fileName)) {
    return { language: "JSON", problems: bracketProblems(text, "x.js") ?? [] };
  }
  if (/\.(?:json|webmanifest|geojson|ipynb|map)$/i.test(fileName)) {
    return { language: "JSON", problems: jsonProblems(text) };
  }
  if (/\.(?:jsonl|ndjson)$/i.test(fileName)) {
    return { language: "JSON lines", problems: jsonLineProblems(text) };
  }
  if (/\.toml$/i.test(fileName)) return { language: "TOML", problems: await tomlProblems(text) };
  if (/\.ya?ml$/i.test(fileName)) return { language: "YAML", problems: await yamlProblems(text) };
  const language = bracketLanguage(fileName);
  const problems = bracketProblems(text, fileName);
  if (language === undefined || problems === undefined) return undefined;
  const wasClean = before === undefined || (bracketProblems(before, fileName) ?? []).length === 0;
  return { language, problems: wasClean ? problems : [] };
}

function jsonProblems(text: string): StructureProblem[] {
  try {
    JSON.parse(text);
    return [];
  } catch (thrown) {
    if (thrown instanceof RangeError) return [TOO_DEEP];
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return [{ lineNumber: lineOfJsonError(message), problem: message }];
  }
}

/** Engines that know the position have it in their message. */
function lineOfJsonError(message: string): number | undefined {
  const line = /line (\d+)/.exec(message)?.[1];
  return line === undefined ? undefined : Number(line);
}

function jsonLineProblems(text: string): StructureProblem[] {
  return text.split("\n").flatMap((line, index) =>
    line.trim() === "" ? [] : jsonProblems(line).map(({ problem }) => ({ lineNumber: index + 1, problem }))
  ).slice(0, 5);
}

async function tomlProblems(text: string): Promise<StructureProblem[]> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    parse(text);
    return [];
  } catch (thrown) {
    if (thrown instanceof RangeError) return [TOO_DEEP];
    if (!(thrown instanceof TomlError)) throw thrown;
    return [{ lineNumber: thrown.line, problem: thrown.message.split("\n")[0]!.trim() }];
  }
}

/** The deepest nesting that is checked. */
const MAX_YAML_LEVELS = 1000;

async function yamlProblems(text: string): Promise<StructureProblem[]> {
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
