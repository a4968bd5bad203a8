/** Tests finding the line that calls the hook. */

import { assertEquals } from "@std/assert";
import type { Setup } from "./harness.ts";
import { settingsHook } from "./hook_call.ts";

const SETUP = { storeOption: undefined } as Setup;

for (
  const program of [
    "fdtool",
    "/opt/my tools/fdtool",
    "/home/me/Downloads/fdtool-linux-x64",
    "/opt/my tools/fdtool-0.1.0",
    "C:\\tools\\fdtool-windows-x64.exe",
  ]
) {
  Deno.test(`the hook that ${program} installed is found again`, () => {
    const hook = { name: "claude-code", event: "PostToolUse", tools: "Bash" };
    const { value, findIn } = settingsHook({ ...SETUP, program }, hook);
    assertEquals(findIn?.([value]), { path: [0], isCurrent: true });
  });
}

Deno.test("a hook of another program is not fdtool's", () => {
  const hook = { name: "claude-code", event: "PostToolUse", tools: "Bash" };
  const { findIn } = settingsHook({ ...SETUP, program: "fdtool" }, hook);
  for (
    const command of ["/opt/fdtool/log hook claude-code", "myfdtool hook claude-code", "fdtool hook claude"]
  ) {
    assertEquals(findIn?.([{ matcher: "Bash", hooks: [{ type: "command", command }] }]), undefined);
  }
});
