/** A harness's own settings, as far as `doctor` reads them: those that turn fdtool off. */

import { getNodeValue } from "jsonc-parser";
import { parseJsonText } from "./edit_json.ts";
import type { Remark } from "./harness.ts";

export type Settings = Readonly<Record<string, unknown>>;

/** The settings in a JSON text; none if it is missing or invalid. */
export function settingsIn(text: string | undefined): Settings {
  const parsed = parseJsonText(text ?? "");
  return "problems" in parsed || parsed.root === undefined ? {} : membersOf(getNodeValue(parsed.root));
}

export function membersOf(value: unknown): Settings {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

export function names(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** A setting that keeps what is installed from working. */
export function turnedOff(path: string, setting: string, effect: string): Remark {
  return {
    state: "problem",
    what: `${effect}, because of ${setting} in ${path}`,
    mend: `change ${setting} in ${path}`,
  };
}
