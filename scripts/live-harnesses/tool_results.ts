/**
 * Results of other tools than the shell: of an MCP server, of every kind, a page and a file. Large text becomes an fd with
 * every byte, and everything else stays as it is without fdtool.
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type Check, holds, type LiveWorld, resultText, same, type Scenario } from "./live_harness.ts";
import type { CallStep, Seen } from "./model_server.ts";

/** Lines of which no two are the same. */
function rowsOf(count: number): string {
  return Array.from({ length: count }, (_, index) => `row ${index + 1} of what a server answers, é\n`).join(
    "",
  );
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const text = (value: string) => ({ type: "text", text: value });

const LONG = rowsOf(8000);
const PAGE = rowsOf(1500);
export const FILE = rowsOf(400);
const PARTS = ["Two tables:", rowsOf(300)] as const;

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
const LEFT_ALONE = ["short", "image", "mixed", "structured", "resource", "failing"] as const;

/** The words that start the server in a world. */
export function textServer({ root, write }: LiveWorld): { command: string; args: string[] } {
  write("results.json", RESULTS);
  const program = fileURLToPath(new URL("text_server.mjs", import.meta.url));
  return { command: "node", args: [program, `${root}/results.json`] };
}

/** How a harness calls these tools. */
interface OtherTools {
  /** Before the names of the server's tools. */
  prefix: string;
  page: CallStep;
  file: CallStep;
}

export const SUM_OF_FD: CallStep = { shell: "fdtool read $FD --all --format raw | sha256sum" };

/** The scenario that calls all of them. */
export function otherTools(
  { prefix, page, file }: OtherTools,
  scenario: Pick<Scenario, "what" | "arrange" | "short">,
): Scenario {
  const of = (name: string): CallStep => ({ tool: `${prefix}${name}` });
  const calls = [
    of("long"),
    SUM_OF_FD,
    of("parts"),
    SUM_OF_FD,
    page,
    SUM_OF_FD,
    file,
    ...LEFT_ALONE.map(of),
  ];
  return {
    name: "other tools",
    without: calls,
    with: calls,
    checks: ({ without, with: seen }) => [
      ...kept("a text of an MCP server", seen, 0, LONG),
      ...kept("two texts", seen, 2, PARTS.join("\n")),
      ...kept("a page", seen, 4, PAGE),
      ...["a file", ...LEFT_ALONE].map((name, index) =>
        same(`${name} stays`, shown(seen, 6 + index), shown(without, 6 + index))
      ),
    ],
    ...scenario,
  };
}

/** Serves {@link PAGE} to the world, as `$PAGE`. */
export function servePage({ variables, resources }: LiveWorld, tls?: { cert: string; key: string }): void {
  const server = resources.use(Deno.serve(
    { hostname: "127.0.0.1", port: 0, ...tls, onListen() {} },
    () => new Response(PAGE, { headers: { "content-type": "text/plain" } }),
  ));
  variables["$PAGE"] = `http://127.0.0.1:${server.addr.port}/page`;
}

/** A result that is stored, and the sum of the fd in the next step. */
export function kept(what: string, seen: Seen, step: number, content: string): Check[] {
  const sum = createHash("sha256").update(content).digest("hex");
  return [
    holds(`${what} arrives as a handle`, resultText(seen, step), '<fd_result fd="fd:'),
    holds(`${what}: every byte is kept`, resultText(seen, step + 1), sum),
  ];
}

/** A result, without names that are new in each run. */
function shown(seen: Seen, step: number): string {
  return resultText(seen, step).replace(/[\w/.-]*tool-results[\w/.-]*/g, "FILE");
}
