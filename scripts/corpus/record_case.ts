/** Makes the project of a case and runs the tools on it. */

import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { CACHE } from "./kept_outputs.ts";
import type { CorpusCase } from "./corpus_case.ts";

/** A project has the same path whenever it is made, because tools print it. */
const PROJECTS = "/tmp/projects";

const TOOLS = join(CACHE, "tools");

/** The environment of the commands of the cases: tools on PATH, and the folders of libraries. */
function environment(): Record<string, string> {
  const unpacked = join(TOOLS, "debroot");
  const ruby = join(unpacked, "usr/lib/ruby");
  const folders = [join(TOOLS, "npm/node_modules/.bin"), join(TOOLS, "py/bin")];
  const unpackedFolders = ["usr/bin", "usr/sbin", "usr/lib/llvm-14/bin"].map((folder) =>
    join(unpacked, folder)
  );
  return {
    PATH: [...folders, Deno.env.get("PATH"), ...unpackedFolders].join(":"),
    TOOLS,
    NODE_PATH: join(TOOLS, "npm/node_modules"),
    UNPACKED_LIBRARIES: join(unpacked, "usr/lib/x86_64-linux-gnu"),
    RUBYLIB: ["3.1.0", "vendor_ruby", "vendor_ruby/3.1.0"].map((folder) => join(ruby, folder)).join(":") +
      `:${join(unpacked, "usr/lib/x86_64-linux-gnu/ruby/3.1.0")}`,
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    TERM: "xterm-256color",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "Ada Field",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_AUTHOR_DATE: "2026-03-02T10:00:00Z",
    GIT_COMMITTER_NAME: "Ada Field",
    GIT_COMMITTER_EMAIL: "ada@example.com",
    GIT_COMMITTER_DATE: "2026-03-02T10:00:00Z",
    // Cases whose tests run in random order unset it.
    PYTEST_ADDOPTS: "-p no:randomly",
    npm_config_userconfig: "/dev/null",
    npm_config_update_notifier: "false",
  };
}

/** The stdout and stderr, in their order, of the case's command in its freshly made project. */
export async function recordCase(each: CorpusCase): Promise<Uint8Array> {
  const [output] = await recordRuns(each.name, each.files?.() ?? {}, each.command, []);
  return output as Uint8Array;
}

/** The outputs of a command that runs once, and again after each of `edits`, which bash makes to the project. */
export async function recordRuns(
  name: string,
  files: Record<string, string>,
  command: string,
  edits: readonly string[],
): Promise<Uint8Array[]> {
  const project = join(PROJECTS, name);
  Deno.mkdirSync(PROJECTS, { recursive: true });
  rmSync(project, { recursive: true, force: true });
  Deno.mkdirSync(project);
  for (const [path, content] of Object.entries(files)) {
    Deno.mkdirSync(dirname(join(project, path)), { recursive: true });
    Deno.writeTextFileSync(join(project, path), content);
  }
  const outputs = [await outputOf(name, command)];
  for (const edit of edits) {
    await outputOf(name, edit);
    outputs.push(await outputOf(name, command));
  }
  rmSync(project, { recursive: true, force: true });
  return outputs;
}

async function outputOf(name: string, command: string): Promise<Uint8Array> {
  const outputFile = join(PROJECTS, `${name}.output`);
  const script = `exec >"$1" 2>&1 </dev/null; shift; trap 'kill $(jobs -p) 2>/dev/null' EXIT\n${command}`;
  await new Deno.Command("bash", {
    args: ["-c", script, "bash", outputFile],
    cwd: join(PROJECTS, name),
    env: environment(),
    stdout: "null",
    stderr: "null",
  }).output();
  const output = Deno.readFileSync(outputFile);
  Deno.removeSync(outputFile);
  return output;
}
