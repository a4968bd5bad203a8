import { assertEquals } from "@std/assert";
import { makeWorld } from "./world.ts";

Deno.test("a call runs as a process and returns its exit code and output", async () => {
  using world = makeWorld();
  const finished = await world.run(["--version"]);
  assertEquals([finished.code, finished.stderr], [0, ""]);
  assertEquals(finished.text.startsWith("fdtool "), true);
});

Deno.test("a line of sh finds the program under test by its name", async () => {
  using world = makeWorld();
  const finished = await world.shell("fdtool --version | wc -l; printf err >&2; exit 7");
  assertEquals([finished.code, finished.text.trim(), finished.stderr], [7, "1", "err"]);
});

Deno.test("a world has no variable of the caller's environment", async () => {
  Deno.env.set("FDTOOL_WORLD_PROBE", "leaked");
  using world = makeWorld();
  const finished = await world.shell("env | cut -d= -f1 | sort | tr '\\n' ' '; pwd", {
    env: { LC_ALL: undefined },
  });
  Deno.env.delete("FDTOOL_WORLD_PROBE");
  const names = finished.text.split(" ").filter((name) => !name.startsWith("DENO_"));
  assertEquals(names.slice(0, -1), ["FDTOOL_STORE", "HOME", "PATH", "PWD"]);
  assertEquals(names.at(-1), `${world.dir}\n`);
});

Deno.test("stdin arrives whole, and a program may ignore it", async () => {
  using world = makeWorld();
  const million = "x".repeat(1_000_000);
  assertEquals((await world.shell("wc -c", { stdin: million })).text.trim(), "1000000");
  assertEquals((await world.shell("exit 3", { stdin: million })).code, 3);
  assertEquals((await world.shell("wc -c")).text.trim(), "0");
});
