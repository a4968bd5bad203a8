import { assert } from "@std/assert";
import type { World } from "./world.ts";

/** Leaves step `id` as a kill leaves it that comes when all files are in place, and before that is written down. */
export function interrupt(world: World, id: number): void {
  const log = `${world.store}/v2/journal/0000/${id}.rec`;
  const lines = Deno.readTextFileSync(log).split("\n");
  assert(lines.at(-2)?.includes('"event":"done"'), lines.at(-2));
  Deno.writeTextFileSync(log, `${lines.slice(0, -2).join("\n")}\n`);
  Deno.writeTextFileSync(`${world.store}/v2/journal/open/${id}`, "");
}
