/**
 * First answers of other tools, each used as intended. The tools are searched for in the cache, under `peers/`:
 * `headroom/` (a Python environment), `npm/node_modules/context-mode` and `bin/rtk`.
 */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { join } from "node:path";
import { CACHE } from "./kept_outputs.ts";

const PEERS = join(CACHE, "peers");

/** The intent of a reader who does not know the output yet. */
const INTENT = "errors, failures and what caused them";

export interface Peer {
  /** The ways in which it is used, a row each. */
  rows: readonly string[];
  /** The file that must be there, else the peer is reported as missing. */
  program: string;
  version: (home: string) => Promise<string>;
  /** The answer of each row. `home` is a directory for the peer's state. */
  answers: (outputFile: string, home: string) => Promise<string[]>;
}

const RTK = join(PEERS, "bin", "rtk");
const HEADROOM = join(PEERS, "headroom", "bin", "python");
const CONTEXT_MODE = join(PEERS, "npm", "node_modules", "context-mode");

/** Compresses one tool result as the proxy does, with nothing protected for being recent. */
const COMPRESS = `import sys
from headroom import compress

text = open(sys.argv[1], errors="replace").read()
call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
messages = [{"role": "user", "content": "Run the command and say what went wrong."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": text}]
sys.stdout.write(compress(messages, model="gpt-4o", protect_recent=0).messages[-1]["content"])
`;

export const PEERS_MEASURED: readonly Peer[] = [
  {
    rows: ["headroom, compress()"],
    program: HEADROOM,
    version: (home) =>
      printed(
        [HEADROOM, "-c", "from importlib.metadata import version; print(version('headroom-ai'))"],
        home,
      ),
    answers: async (outputFile, home) => [await printed([HEADROOM, "-c", COMPRESS, outputFile], home)],
  },
  {
    rows: ["rtk log", "rtk err"],
    program: RTK,
    version: (home) => printed([RTK, "--version"], home),
    answers: async (outputFile, home) => [
      await printed([RTK, "log", outputFile], home),
      await printed([RTK, "err", "cat", outputFile], home),
    ],
  },
  {
    rows: ["context-mode, ctx_execute with an intent", "context-mode, and one ctx_search"],
    program: CONTEXT_MODE,
    version: () =>
      Promise.resolve(JSON.parse(Deno.readTextFileSync(join(CONTEXT_MODE, "package.json"))).version),
    answers: contextMode,
  },
];

/** The state of a peer stays in `home`, and it asks no server. */
function environment(home: string): Record<string, string> {
  return { HOME: home, HEADROOM_OFFLINE: "1", HF_HUB_OFFLINE: "1", CONTEXT_MODE_DIR: home, NO_COLOR: "1" };
}

async function printed([program, ...args]: readonly string[], home: string): Promise<string> {
  const { stdout } = await new Deno.Command(program as string, {
    args,
    cwd: home,
    env: environment(home),
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

/** Calls the tools of context-mode's MCP server: the output through `ctx_execute`, then what a search finds. */
async function contextMode(outputFile: string, home: string): Promise<string[]> {
  const client = new Client({ name: "first-answer", version: "1" });
  const tool = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map((part) => part.type === "text" ? part.text : "").join("\n");
  };
  try {
    await client.connect(
      new StdioClientTransport({
        command: "node",
        args: [join(CONTEXT_MODE, "server.bundle.mjs")],
        cwd: home,
        env: { ...environment(home), CONTEXT_MODE_PROJECT_DIR: home },
        stderr: "ignore",
      }),
    );
    const code = `cat ${outputFile}`;
    const answer = await tool("ctx_execute", { language: "shell", code, intent: INTENT });
    return [answer, `${answer}\n${await tool("ctx_search", { queries: [INTENT] })}`];
  } finally {
    await client.close();
  }
}
