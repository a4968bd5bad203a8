import { assertEquals } from "@std/assert";
import { identityOf, thisWriter, writerFate } from "./writer_identity.ts";

/** Returns why time namespaces are unavailable here, or undefined if they work. */
function whyNoTimeNamespace(): string | undefined {
  try {
    const { success, stderr } = new Deno.Command("unshare", { args: ["--time", "--fork", "true"] })
      .outputSync();
    return success ? undefined : new TextDecoder().decode(stderr);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return "unshare is not installed";
  }
}

Deno.test({
  name: "a writer in another time namespace does not count as dead",
  ignore: whyNoTimeNamespace() !== undefined,
  async fn() {
    const writer = new Deno.Command("unshare", {
      args: ["--time", "--boottime", "100000", "--fork", "/bin/sh", "-c", "echo $$; read line"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const stdout = writer.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await stdout.read()).value));
    // What the process reports about itself in its namespace.
    const reported = { ...identityOf(pid), started: String(Number(identityOf(pid).started) + 100_000 * 100) };
    assertEquals(writerFate(reported), "unknown");
    await stdout.cancel();
    await writer.stdin.close();
    await writer.status;
    assertEquals(writerFate(reported), "gone");
  },
});

Deno.test("a process that reuses an id does not count as the writer", () => {
  assertEquals(writerFate(thisWriter()), "alive");
  assertEquals(writerFate({ ...thisWriter(), started: "1" }), "gone");
});
