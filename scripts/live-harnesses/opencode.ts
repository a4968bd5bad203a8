/** OpenCode, with its plugin and with its own permission rules. */

import {
  holds,
  type LiveHarness,
  type LiveRun,
  type LiveWorld,
  replacedResults,
  resultText,
  same,
} from "./live_harness.ts";
import type { Step } from "./model_server.ts";
import { FILE, otherTools, servePage, textServer } from "./tool_results.ts";

const SETTINGS = "home/.config/opencode/opencode.json";
const SMALL: readonly Step[] = [
  { shell: "echo hi" },
  { shell: "exit 3" },
  { shell: "ls /does/not/exist" },
  { shell: "printf %07990d 7" },
  { shell: "echo begin; sleep 30", more: { timeout: 1000 } },
];
const RULED: readonly Step[] = [{ shell: "seq 1 5000" }, { shell: "ls" }, { shell: "seq 1 3; ls" }, {
  shell: "seq 3",
}];

function settings(port: number): Record<string, unknown> {
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "scripted",
        options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" },
        models: {
          scripted: { name: "scripted", tool_call: true, limit: { context: 1_000_000, output: 8000 } },
        },
      },
    },
  };
}

export const opencode: LiveHarness = {
  name: "opencode",
  packages: ["opencode-ai@1.18.33"],
  afterNpm: [{ folder: "opencode-ai", words: ["node", "postinstall.mjs"] }],
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  prepare: ({ write, port }: LiveWorld) => write(SETTINGS, settings(port)),
  command: () => ["opencode", "run", "--format", "json", "Do what is scripted."],
  isSettings: (path) => /\/opencode\.jsonc?$|\/plugins\/[^/]*$|\/AGENTS\.md$/.test(path),
  scenarios: [
    ...replacedResults({
      pause: "; sleep 1",
      stopped: { more: { timeout: 2000 }, says: "exceeding timeout" },
      small: SMALL,
    }),
    // Every byte is there without a pause.
    ...replacedResults({ small: SMALL }).filter(({ installs }) => installs === undefined).map((scenario) => ({
      ...scenario,
      name: `${scenario.name}, as its shell`,
      installs: [["--via", "shell"]],
    })),
    {
      name: "allow-list",
      what: "Everything denied but `seq *`: the same commands run, the same are refused",
      arrange: ({ write, port }) =>
        write(SETTINGS, { ...settings(port), permission: { bash: { "*": "deny", "seq *": "allow" } } }),
      without: RULED,
      with: RULED,
      permissions: ({ without, with: seen }) => `${verdicts(without)} → ${verdicts(seen)}`,
      checks: ({ without, with: seen }) => [
        holds("what is allowed runs, and is kept", resultText(seen, 0), '<fd_result fd="fd:'),
        ...[1, 2, 3].map((step) =>
          same(`step ${step} is judged the same`, resultText(seen, step), resultText(without, step))
        ),
      ],
    },
    otherTools({
      prefix: "texts_",
      page: { tool: "webfetch", args: { url: "$PAGE", format: "text" } },
      file: { tool: "read", args: { filePath: "$PROJECT/rows.txt" } },
    }, {
      what: "Results of an MCP server, webfetch and read: large text becomes an fd, everything else stays",
      arrange: (world) => {
        const { command, args } = textServer(world);
        const texts = { type: "local", command: [command, ...args], enabled: true };
        world.write(SETTINGS, { ...settings(world.port), mcp: { texts } });
        world.write("project/rows.txt", FILE);
        servePage(world);
      },
    }),
  ],
};

/** How many of the commands ran, and how many were refused by a rule. */
function verdicts({ results }: LiveRun): string {
  const refused = results.filter(({ text }) => text.includes("specified a rule which prevents")).length;
  return `${results.length - refused} ran, ${refused} denied`;
}
