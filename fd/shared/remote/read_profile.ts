/**
 * Reads a profile of the AWS configuration files ("Configuration and credential file settings", AWS CLI user guide).
 */

import type { Environment } from "../../store/open_store.ts";
import { readSmallFile } from "./small_file.ts";

/** A profile's settings by name. */
export type Profile = ReadonlyMap<string, string>;

/** The profile that the environment chooses. */
export function chosenProfile(env: Environment): string {
  return env["AWS_PROFILE"] || env["AWS_DEFAULT_PROFILE"] || "default";
}

/** Returns the settings of profile `name`, or undefined if no file has it. The credentials file goes before the other. */
export function readProfile(env: Environment, name: string): Profile | undefined {
  const home = env["HOME"] || env["USERPROFILE"] || "";
  const files: [string, string[]][] = [
    [env["AWS_CONFIG_FILE"] || `${home}/.aws/config`, [
      `profile ${name}`,
      ...name === "default" ? [name] : [],
    ]],
    [env["AWS_SHARED_CREDENTIALS_FILE"] || `${home}/.aws/credentials`, [name]],
  ];
  let profile: Map<string, string> | undefined;
  for (const [path, sections] of files) {
    const settings = settingsIn(readSmallFile(path) ?? "", sections);
    if (settings !== undefined) profile = new Map([...profile ?? [], ...settings]);
  }
  return profile;
}

/** Returns the settings in the sections named so. Nested settings, which are indented, are left out. */
function settingsIn(text: string, sections: readonly string[]): Map<string, string> | undefined {
  let settings: Map<string, string> | undefined;
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\[\s*([^\]]*?)\s*\]/.exec(line)?.[1]?.replace(/\s+/g, " ").replace(
      /^profile "(.*)"$/,
      "profile $1",
    );
    if (section !== undefined) {
      isWanted = sections.includes(section);
      if (isWanted) settings ??= new Map();
      continue;
    }
    const [, name, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)(?:\s+[#;].*)?\s*$/.exec(line) ?? [];
    if (isWanted && name !== undefined) settings!.set(name.toLowerCase(), value!);
  }
  return settings;
}
