/** A shared store for tests, and hosts that use it: worlds whose caches are their own. */

import { limitsFrom, openSharedObjects, parseStoreUrl } from "../../fd/mod.ts";
import { openShared } from "../../fd/shared/objects/store_object.ts";
import type { FaultProxy } from "./fault_proxy.ts";
import { type ObjectServer, serverTest, storeUrl } from "./object_servers.ts";
import { type Finished, makeWorld, type RunOptions, type World } from "../world.ts";

/** One host. */
export interface SharedHost {
  world: World;
  /** Environment of its calls. */
  env: Readonly<Record<string, string>>;
  /** Runs fdtool on the shared store. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs it in JSON, and returns its answer. */
  answer(args: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>;
  /** Stores `content`; returns its answer. */
  capture(content: string | Uint8Array, ...args: string[]): Promise<Record<string, unknown>>;
  /** Returns the bytes of an fd, as text. */
  read(fd: string, ...args: string[]): Promise<string>;
}

export interface SharedWorld {
  server: ObjectServer;
  proxy: FaultProxy;
  /** Two hosts. */
  a: SharedHost;
  b: SharedHost;
}

/** Makes a host of the shared store at `prefix`, with more in its environment. */
export function hostOf(
  server: ObjectServer,
  proxy: FaultProxy,
  prefix: string,
  more: Readonly<Record<string, string>> = {},
): SharedHost & Disposable {
  const world = makeWorld();
  const env = {
    ...server.env,
    AWS_REGION: "us-east-1",
    FDTOOL_STORE: storeUrl(proxy.endpoint, prefix),
    FDTOOL_CACHE: world.path("cache"),
    // A loaded machine may take its time.
    FDTOOL_UPLOAD_WAIT: "60s",
    ...more,
  };
  const withEnv = (options: RunOptions = {}): RunOptions => ({ ...options, env: { ...env, ...options.env } });
  const run = (args: readonly string[], options?: RunOptions) => world.run(args, withEnv(options));
  const answer = async (args: readonly string[], options?: RunOptions) => {
    const env = { ...options?.env, FDTOOL_FORMAT: "json" };
    const { text, stderr } = await run(args, { ...options, env });
    if (text === "") throw new Error(`no answer: ${stderr}`);
    return JSON.parse(text.split("\n")[0]!);
  };
  return {
    world,
    env,
    run,
    answer,
    capture: (content, ...args) =>
      answer(["capture", "--always", "--preview", "none", ...args], { stdin: content }),
    async read(fd, ...args) {
      const { code, text, stderr } = await run(["read", fd, "--format", "raw", ...args]);
      if (code !== 0) throw new Error(stderr);
      return text;
    },
    [Symbol.dispose]: () => world[Symbol.dispose](),
  };
}

/** Lines that differ, at least `byteCount` bytes of them. */
export function manyLines(byteCount: number): Uint8Array {
  // Byte by byte: as strings they take ten times as long.
  const bytes = new Uint8Array(byteCount + 40);
  let at = 0;
  for (let line = 1; at < byteCount; line++) {
    for (let place = 0; place < 5; place++) bytes[at++] = "line ".charCodeAt(place);
    for (let unit = 10 ** Math.floor(Math.log10(line)); unit >= 1; unit /= 10) {
      bytes[at++] = 0x30 + Math.floor(line / unit) % 10;
    }
    bytes[at++] = 0x20;
    for (let rest = line * 2654435761 >>> 0; rest > 0; rest >>>= 5) bytes[at++] = 0x41 + rest % 32 % 26;
    bytes[at++] = 0x0a;
  }
  return bytes.slice(0, at);
}

const PREFIX = "team/ci";

/** A test with a shared store and two hosts, the first of which makes it; skipped if there is no server. */
export function emptyTest(name: string, fn: (world: SharedWorld) => Promise<void>): void {
  serverTest(name, async ({ server, proxy }) => {
    using a = hostOf(server, proxy, PREFIX);
    using b = hostOf(server, proxy, PREFIX);
    await fn({ server, proxy, a, b });
  });
}

/**
 * The same with a store that was made before, with `env` too, without the trials that cost as much as ten captures.
 */
export function sharedTest(
  name: string,
  fn: (world: SharedWorld) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): void {
  emptyTest(name, async (world) => {
    const { server } = world;
    const address = parseStoreUrl(storeUrl(server.endpoint, PREFIX), "--store");
    const objects = await openSharedObjects(address, { env: { ...server.env, ...env } });
    await openShared(objects, { id: "0123456789abcdef01234567", ...limitsFrom({}) });
    await fn(world);
  });
}
