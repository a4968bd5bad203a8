/**
 * Transcripts in documents: each fenced block that is marked `console` holds commands (`$ `, going on at `> `) and what
 * they print, stdout and stderr together. The blocks of a document run in order, in one world, so that what is shown was
 * really produced.
 */

import { normalise } from "./golden_script.ts";
import type { World } from "./world.ts";

const BLOCK = /^```console\n([^]*?)^```$/gm;

/** The document with what its commands print now. */
export async function replayTranscripts(document: string, world: World): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const block of document.matchAll(BLOCK)) {
    parts.push(document.slice(at, block.index), "```console\n");
    for (const lines of commandsOf(block[1]!)) parts.push(await replay(lines, world));
    parts.push("```");
    at = block.index + block[0].length;
  }
  return parts.join("") + document.slice(at);
}

/** The lines of each command of a block, as they are written. */
function commandsOf(block: string): string[][] {
  const commands: string[][] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("$ ")) commands.push([line]);
    else if (line.startsWith("> ") || line === ">") commands.at(-1)?.push(line);
  }
  return commands;
}

async function replay(lines: readonly string[], world: World): Promise<string> {
  const command = lines.map((line) => line.slice(2)).join("\n");
  const { text } = await world.shell(`exec 2>&1\n${command}`);
  // Formatters take white space from the ends of lines.
  const shown = normalise(text, world).replace(/[ \t]+$/gm, "");
  return `${lines.join("\n")}\n${shown}${shown === "" || shown.endsWith("\n") ? "" : "\n"}`;
}
