import { assertEquals } from "@std/assert";
import { identityOf, thisWriter, writerFate } from "./writer_identity.ts";

/** Why there is no time namespace to be had here; undefined where there is one. */
function whyNoTimeNamespace(): string | undefined {
  try {
    const { success, stderr } = new Deno.Command("unshare", { args: ["--time", "--fork", "true"] })
      .outputSync();
    return success ? undefined : new TextDecoder().decode(stderr);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return "there is no unshare";
  }
}

Deno.test({
  name:
    "a writer in a time namespace of its own is not taken for dead, since it counts from another beginning",
  ignore: whyNoTimeNamespace() !== undefined,
  async fn() {
    const writer = new Deno.Command("unshare", {
      args: ["--time", "--boottime", "100000", "--fork", "/bin/sh", "-c", "echo $$; read line"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const stdout = writer.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await stdout.read()).value));
    // What it says of itself there.
    const there = { ...identityOf(pid), started: String(Number(identityOf(pid).started) + 100_000 * 100) };
    assertEquals(writerFate(there), "unknown");
    await stdout.cancel();
    await writer.stdin.close();
    await writer.status;
    assertEquals(writerFate(there), "gone");
  },
});

Deno.test("a process that has another's id is not taken for it", () => {
  assertEquals(writerFate(thisWriter()), "alive");
  assertEquals(writerFate({ ...thisWriter(), started: "1" }), "gone");
});
