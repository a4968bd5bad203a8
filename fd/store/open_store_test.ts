import { assertEquals, assertThrows } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { FdError } from "../disk/errors.ts";
import { limitsFrom, locateStore, openStore } from "./open_store.ts";
import { dataPath } from "./store_paths.ts";
import { putBytes } from "../put/put_bytes.ts";

Deno.test("the store is located as the contract says", () => {
  const uid = 7;
  const all = { FDTOOL_STORE: "/a", XDG_STATE_HOME: "/b", HOME: "/c", TMPDIR: "/d" };
  assertEquals(locateStore({ store: "/o", env: all, uid }), "/o");
  assertEquals(locateStore({ env: all, uid }), "/a");
  assertEquals(locateStore({ env: { ...all, FDTOOL_STORE: "" }, uid }), "/b/fdtool");
  assertEquals(
    locateStore({ env: { HOME: "/c", XDG_STATE_HOME: "relative" }, uid }),
    "/c/.local/state/fdtool",
  );
  assertEquals(locateStore({ env: { TMPDIR: "/d" }, uid }), "/d/fdtool-7");
  assertEquals(locateStore({ env: {}, uid }), "/tmp/fdtool-7");
});

Deno.test("on Windows the store is under LOCALAPPDATA, never at the root of a drive", () => {
  const platform = "win32";
  const all = {
    LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local",
    USERPROFILE: "C:\\Users\\ann",
    HOME: "/c/Users/ann",
    TEMP: "D:\\temp",
  };
  assertEquals(locateStore({ env: all, platform }), "C:\\Users\\ann\\AppData\\Local\\fdtool");
  assertEquals(
    locateStore({ env: { ...all, LOCALAPPDATA: "" }, platform }),
    "C:\\Users\\ann\\AppData\\Local\\fdtool",
  );
  assertEquals(locateStore({ env: { TEMP: "D:\\temp" }, platform }), "D:\\temp\\fdtool");
  assertEquals(locateStore({ env: { LOCALAPPDATA: "Local", TMP: "D:/t" }, platform }), "D:\\t\\fdtool");
  for (const env of [{}, { HOME: "/c/Users/ann", TEMP: "temp" }]) {
    const { failure } = assertThrows(() => locateStore({ env, platform }), FdError);
    assertEquals([failure.kind, "field" in failure && failure.field], ["invalid_parameter", "FDTOOL_STORE"]);
  }
  assertThrows(
    () => locateStore({ store: "ftp://x/y", env: all, platform }),
    FdError,
    "URLs are not supported",
  );
  assertEquals(locateStore({ store: "E:/fds/./x", env: all, platform }), "E:\\fds\\x");
});

Deno.test("a forked store is found in its holder with either separator", () => {
  assertEquals(dataPath("C:\\s\\v2\\forks\\a", true), "C:/s/v2");
  assertEquals(dataPath("C:/s/v2/forks/a/v2/forks/b", true), "C:/s/v2");
  assertEquals(dataPath("C:\\s", true), "C:/s/v2");
  assertEquals(dataPath("/s\\v2\\forks\\a", false), "/s\\v2\\forks\\a/v2");
});

Deno.test("limits accept units, and an invalid limit names its variable", () => {
  const limits = limitsFrom({ FDTOOL_MAX_BYTES: "2K", FDTOOL_QUOTA: "0", FDTOOL_TTL: "12h" });
  assertEquals(limits, { maxBytes: 2048, quotaBytes: 0, ttlMs: 12 * 3_600_000 });
  const { failure } = assertThrows(() => limitsFrom({ FDTOOL_TTL: "soon" }), FdError);
  assertEquals(failure.kind === "invalid_parameter" && failure.field, "FDTOOL_TTL");
});

Deno.test("everything in a store is accessible to its owner only, whatever the umask (law 9)", () => {
  const before = Deno.umask(0);
  try {
    using world = temporaryStore();
    putBytes(world.store, new Uint8Array(100_000), { source: "test", names: ["log"] });
    const visit = (path: string) => {
      const info = Deno.lstatSync(path);
      assertEquals([path, (info.mode ?? 0) & 0o777], [path, info.isDirectory ? 0o700 : 0o600]);
      if (info.isDirectory) { for (const entry of Deno.readDirSync(path)) visit(`${path}/${entry.name}`); }
    };
    visit(world.store.path);
  } finally {
    Deno.umask(before);
  }
});

Deno.test("a store writable by others is closed to them; a user's directory keeps its permissions", () => {
  using world = temporaryStore();
  putBytes(world.store, new Uint8Array(1), { source: "test" });
  Deno.chmodSync(world.store.path, 0o777);
  Deno.chmodSync(`${world.store.path}/v2`, 0o755);
  openStore(world.store.path);
  assertEquals(Deno.statSync(world.store.path).mode! & 0o777, 0o700);
  Deno.chmodSync(world.store.path, 0o755);
  openStore(world.store.path);
  assertEquals(Deno.statSync(world.store.path).mode! & 0o777, 0o755);
  assertEquals(Deno.statSync(`${world.store.path}/v2`).mode! & 0o777, 0o700);
});

Deno.test("a file in place of the store is refused", () => {
  using world = temporaryStore();
  Deno.writeTextFileSync(world.store.path, "not a directory");
  assertEquals(assertThrows(() => openStore(world.store.path), FdError).failure.kind, "write_error");
});
