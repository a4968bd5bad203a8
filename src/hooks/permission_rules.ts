/**
 * Keeps a user's permission rules for Claude Code worth what they were. Claude Code matches them against the rewritten
 * command (docs/decisions.md), so a wrapped `rm -rf build` meets no rule for `rm`, and a wrapped `ls` is asked about. A
 * command that a rule may speak of is therefore left alone. Rules are read more widely than Claude Code reads them: a
 * command is left alone too often rather than once too seldom.
 *
 * @module
 */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse, type ParseError } from "jsonc-parser";
import * as v from "valibot";
import { systemCode } from "../../fd/mod.ts";

const list = v.optional(v.array(v.string()), []);
const settings = v.object({ permissions: v.optional(v.object({ allow: list, ask: list, deny: list })) });

/** The rules on shell commands, from all settings together. */
export interface PermissionRules {
  /** They forbid or ask. */
  against: readonly string[];
  /** They allow. */
  allowing: readonly string[];
}

/** Where Claude Code looks for settings. */
export interface SettingsPlaces {
  env: Readonly<Record<string, string | undefined>>;
  /** The project's directory, as the hook was told. */
  projectDirectory: string;
}

/** The files that may hold rules, in no order: rules of all of them count. */
function settingsFiles({ env, projectDirectory }: SettingsPlaces): string[] {
  const home = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? "/", ".claude");
  const project = join(env["CLAUDE_PROJECT_DIR"] ?? projectDirectory, ".claude");
  return [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    join(home, "settings.json"),
    join(project, "settings.json"),
    join(project, "settings.local.json"),
  ];
}

/** The text of a file; undefined for a pipe or a device, which might keep the hook waiting for ever. */
function fileText(path: string): string | undefined {
  return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
}

/** The rules on shell commands; undefined where a file of settings cannot be understood. */
export function readPermissionRules(places: SettingsPlaces): PermissionRules | undefined {
  const against: string[] = [];
  const allowing: string[] = [];
  for (const path of settingsFiles(places)) {
    let text;
    try {
      text = fileText(path);
    } catch (thrown) {
      const code = systemCode(thrown);
      if (code === "ENOENT" || code === "ENOTDIR") continue;
      return undefined;
    }
    if (text === undefined) return undefined;
    const permissions = permissionsIn(text);
    if (permissions === undefined) return undefined;
    const { allow = [], ask = [], deny = [] } = permissions;
    against.push(...[...ask, ...deny].filter(isShellRule));
    allowing.push(...allow.filter(isShellRule));
  }
  return { against, allowing };
}

/** The lists in the text of a settings file; undefined where it cannot be understood. */
function permissionsIn(text: string): { allow?: string[]; ask?: string[]; deny?: string[] } | undefined {
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
  } catch (thrown) {
    // The stack of the parser is used up.
    if (!(thrown instanceof RangeError)) throw thrown;
    return undefined;
  }
  const read = v.safeParse(settings, value);
  return errors.length > 0 || !read.success ? undefined : read.output.permissions ?? {};
}

function isShellRule(rule: string): boolean {
  return /^Bash(?:\(|$)/.test(rule);
}

/** Modes in which what no rule allows is refused, or nothing is run. */
const CLOSED_MODES = new Set(["plan", "dontAsk"]);
/** Modes in which nobody is asked about what no rule allows. */
const OPEN_MODES = new Set(["bypassPermissions", "auto"]);

/** Whether Claude Code would judge `command` in `mode` otherwise if it were wrapped, as far as can be told. */
export function wouldBeJudgedOtherwise(
  command: string,
  mode: string | undefined,
  rules: PermissionRules | undefined,
): boolean {
  if (rules === undefined) return true;
  if (rules.against.some((rule) => speaksOf(rule, command))) return true;
  if (mode === undefined || OPEN_MODES.has(mode) || rules.allowing.some(isForAll)) return false;
  if (CLOSED_MODES.has(mode)) return true;
  return isReadOnly(command) || rules.allowing.some((rule) => speaksOf(rule, command));
}

function isForAll(rule: string): boolean {
  return /^Bash(?:\(:?\**\))?$/.test(rule);
}

/** Whether the first word of the rule stands anywhere in the command. A rule for all commands is one for wrapped ones. */
function speaksOf(rule: string, command: string): boolean {
  if (isForAll(rule)) return false;
  const [first] = rule.slice("Bash(".length).split(/[\s:*)]+/).filter((word) => word !== "");
  return first === undefined || command.includes(first);
}

/** Claude Code runs these without asking. */
const READ_ONLY = new Set("ls cat echo pwd head tail grep find wc which diff stat du cd git".split(" "));

/** Whether all of a command's parts may be of those. */
function isReadOnly(command: string): boolean {
  return command.split(/[;&|\n]+/).every((part) => {
    const [name] = part.trim().split(/\s+/);
    return name === undefined || name === "" || READ_ONLY.has(name);
  });
}
