/** Results of tools of an MCP server, of every kind, and a server that answers with them. */

import { fileURLToPath } from "node:url";
import type { LiveWorld } from "./live_harness.ts";

/** Lines of which no two are the same. */
export function rowsOf(count: number): string {
  return Array.from({ length: count }, (_, index) => `row ${index + 1} of what a server answers, é\n`).join(
    "",
  );
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const text = (value: string) => ({ type: "text", text: value });

export const LONG = rowsOf(8000);
export const PARTS = ["Two tables:", rowsOf(300)] as const;

/** By the name of the tool. */
const RESULTS = {
  long: { content: [text(LONG)] },
  parts: { content: PARTS.map(text) },
  short: { content: [text("a short answer")] },
  image: { content: [image] },
  mixed: { content: [text(rowsOf(300)), image] },
  structured: {
    content: [text(JSON.stringify({ rows: rowsOf(300) }))],
    structuredContent: { rows: rowsOf(300) },
  },
  resource: {
    content: [{ type: "resource", resource: { uri: "x://rows", mimeType: "text/plain", text: rowsOf(300) } }],
  },
  failing: { content: [text(rowsOf(300))], isError: true },
};

/** Tools whose results stay as they are. */
export const LEFT_ALONE = ["short", "image", "mixed", "structured", "resource", "failing"] as const;

/** The words that start the server in a world. */
export function textServer({ root, write }: LiveWorld): { command: string; args: string[] } {
  write("results.json", RESULTS);
  const program = fileURLToPath(new URL("text_server.mjs", import.meta.url));
  return { command: "node", args: [program, `${root}/results.json`] };
}
