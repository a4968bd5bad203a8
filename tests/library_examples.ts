/** The examples of docs/library.md, and the runtimes that they run on. */

import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { CHECKOUT, type World } from "./world.ts";

/** The pinned Bun: the third line of what `scripts/toolchain` noted. */
export const BUN = join(
  CHECKOUT,
  Deno.readTextFileSync(join(CHECKOUT, "node_modules/.fdtool-toolchain")).split("\n")[2] ?? "",
);

/** Programs with their arguments, run one after the other. */
export type Steps = readonly (readonly [string, ...string[]])[];

/** Whether `program` is on the PATH. */
export function isThere(program: string): boolean {
  const args = ["-c", `command -v ${program}`];
  return new Deno.Command("sh", { args, stdout: "null", stderr: "null" }).outputSync().success;
}

/** Writes `text` as `file` in the world, runs `steps` there, and returns what the last one printed. */
export async function printedBy(world: World, steps: Steps, file: string, text: string): Promise<string> {
  world.write(file, text);
  let printed = "";
  for (const [program, ...args] of steps) {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args,
      cwd: world.dir,
      env: { ...world.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      clearEnv: true,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    printed = decoder.decode(stdout);
    assertEquals([code, decoder.decode(stderr)], [0, ""], `${program} ${args.join(" ")}:\n${printed}`);
  }
  return printed;
}

/** The examples of the page: each a script and what it prints. */
export function examples(): { title: string; script: string; prints: string }[] {
  const page = Deno.readTextFileSync(join(CHECKOUT, "docs/library.md"));
  return page.split(/^## /m).slice(1).flatMap((section) => {
    const title = section.slice(0, section.indexOf("\n"));
    return [...section.matchAll(/^```ts\n(.*?)```\n\nprints\n\n```\n(.*?)```\n/gms)]
      .map(([, script, prints]) => ({ title, script: script!, prints: prints! }));
  });
}

/** The printed text, without the runtime's style for records: one line or several, kinds of quotes. */
export function spread(printed: string): string {
  return printed.replace(/\{\s([^}]*)\}/g, (_whole, fields: string) => {
    return `{ ${fields.trim().replace(/,$/, "").split(/\n\s*/).join(" ").replaceAll("'", '"')} }`;
  });
}
