import type { Setup } from "./harness.ts";

/**
 * The begin of a plugin's source, for harnesses that load JavaScript: `replacement(payload)` passes a result to
 * `fdtool hook NAME` and returns the answer, or "" if the result stays, whatever fails. It uses only Node's built-ins.
 */
export function pluginStart({ program, storeOption }: Setup, name: string): string {
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  const words = ["hook", name, ...store].map((word) => JSON.stringify(word)).join(", ");
  return `// Written by \`fdtool install ${name}\`; \`fdtool uninstall ${name}\` removes it.
// Large output of shell commands is stored by fdtool; the model sees a preview and a handle.
import { spawn } from "node:child_process";

function replacement(payload) {
  return new Promise((resolve) => {
    const child = spawn(${JSON.stringify(program)}, [${words}], { stdio: ["pipe", "pipe", "ignore"] });
    const limit = setTimeout(() => child.kill("SIGKILL"), 30000);
    const chunks = [];
    child.on("error", () => {
      clearTimeout(limit);
      resolve("");
    });
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve(code === 0 ? Buffer.concat(chunks).toString() : "");
    });
    child.stdin.end(JSON.stringify(payload));
  });
}
`;
}
