/** pi, with its extension. */

import { type LiveHarness, replacedResults } from "./live_harness.ts";

export const pi: LiveHarness = {
  name: "pi",
  // The newest whose dependencies npm had on 2026-11-25. It wants a newer Node than the kit does.
  packages: ["@earendil-works/pi-coding-agent@1.6.0", "node@22.23.3"],
  environment: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }),
  prepare({ write, port }) {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const models = [{ id: "scripted", contextWindow: 1_000_000 }];
    write("home/.pi/agent/models.json", {
      providers: { scripted: { baseUrl, api: "openai-completions", apiKey: "none", models } },
    });
  },
  command: (
    _world,
    { flags = [] },
  ) => ["pi", "-p", ...flags, "--provider", "scripted", "--model", "scripted", "Do what is scripted."],
  isSettings: (path) => /\/settings\.json$|\/extensions\/|\/AGENTS\.md$/.test(path),
  scenarios: replacedResults({
    projectFlags: ["--approve"],
    stopped: { more: { timeout: 1 }, says: "\n\nCommand timed out after 1 seconds" },
    ended: "\n\nCommand exited with code 3",
    small: [
      { shell: "echo out; echo err >&2; exit 3" },
      { shell: "ls /does/not/exist" },
      { shell: "true" },
      { shell: "yes 123456789 | head -c 7990" },
      { shell: "echo begin; while :; do sleep 0.2; done", more: { timeout: 1 } },
    ],
  }),
};
