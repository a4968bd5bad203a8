/**
 * Commands to ask Claude Code about: those that agents type, those that rules are written for, and forms that are hard
 * for a permission check. All are harmless in the test's project.
 */

import commands from "./claude_commands.json" with { type: "json" };

/** The project and home that they are asked about in. */
export const PROJECT_FILES: Readonly<Record<string, string>> = commands.files;

/** Permissions of a user. */
export interface SetUp {
  name: string;
  permissions: Readonly<Record<string, unknown>>;
}

export const SET_UPS: readonly SetUp[] = commands.setUps;

/** At least 150. */
export const HARMLESS_COMMANDS: readonly string[] = [
  ...commands.reading.flatMap((command) => commands.readFiles.map((file) => `${command} ${file}`)),
  ...commands.changing.flatMap((command) => commands.changedFiles.map((file) => `${command} ${file}`)),
  ...commands.others,
];

/**
 * fdtool's own commands, with the expected verdict once it is installed: those that read fds are judged like `true`,
 * commands beside them by their own verdict, and everything else as without fdtool.
 */
export const OWN_COMMANDS: readonly { command: string; like: string }[] = [
  ...["read fd:1", "read fd:1 --start 2", "search fd:1 error", "ls", "stat fd:1", "diff fd:1 fd:2"]
    .map((words) => ({ command: `fdtool ${words}`, like: "true" })),
  ...[
    "> out.txt",
    "; touch made.txt",
    "&& rm -f data.txt",
    "| tee protected.txt",
    "; cat secret.txt",
    "&& curl x",
  ]
    .map((rest) => ({ command: `fdtool read fd:1 ${rest}`, like: `true ${rest}` })),
  { command: "cat secret.txt | fdtool search fd:1 a", like: "cat secret.txt | true" },
  ...[
    "run -- ls",
    "rm fd:1",
    "to-file fd:1 out.txt",
    "count data.txt",
    "create made.txt",
    "gc",
    "readx fd:1",
    "capture",
  ]
    .map((words) => ({ command: `fdtool ${words}`, like: `fdtool ${words}` })),
  { command: "fdtool read $(touch made.txt)", like: "fdtool read $(touch made.txt)" },
];
