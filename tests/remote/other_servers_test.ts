// Promise: the table of servers in docs/shared-store.md: `store check` accepts or refuses each as it says, every time, and one
// that is accepted carries a shared store. The servers come from `scripts/object-servers --all`; those that are
// missing are skipped. `scripts/test` runs this file only if it is named.

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import { CHECKOUT, makeWorld, runsOf } from "../world.ts";
import {
  AWS,
  aws,
  BUCKET,
  cachedFile,
  freePort,
  isMissing,
  type ObjectServer,
  startRclone,
  startServer,
  storeUrl,
} from "./object_servers.ts";
import { manyLines } from "./shared_world.ts";

interface OtherServer {
  name: string;
  /** The program, or the archive that `java` runs. */
  program: string;
  /** Starts it with a bucket, or a place where one is a directory. */
  start(): Promise<ObjectServer>;
  /** The promise that `store check` says it breaks; undefined if it keeps all. */
  breaks?: "create_once" | "replace_seen";
}

const KEYS = ["test-access", "test-secret"] as const;
const s3proxy = cachedFile("s3proxy", "s3proxy.jar");
const minio = cachedFile("minio", "minio");
const moto = cachedFile("moto", "bin/moto_server");
const weed = cachedFile("seaweedfs", "weed");
const rcloneGo = cachedFile("rclone-go", "rclone", "rclone_go");

const SERVERS: readonly OtherServer[] = [
  { name: "rclone 1.76", program: rcloneGo, start: () => startRclone(rcloneGo) },
  {
    name: "MinIO",
    program: minio,
    start: () =>
      startServer((root, port) => ({
        program: minio,
        args: ["server", "--address", `127.0.0.1:${port}`, root],
        env: { MINIO_ROOT_USER: KEYS[0], MINIO_ROOT_PASSWORD: KEYS[1], MINIO_BROWSER: "off" },
      }), "request"),
  },
  {
    name: "SeaweedFS",
    program: weed,
    start: () =>
      startServer((root, port) => {
        const [accessKey, secretKey] = KEYS;
        const actions = ["Admin", "Read", "Write", "List"];
        const identity = { name: "test", credentials: [{ accessKey, secretKey }], actions };
        Deno.writeTextFileSync(`${root}/s3.json`, JSON.stringify({ identities: [identity] }));
        const parts = ["master", "volume", "filer"].flatMap((part) => [
          ...[`-${part}.port=${freePort()}`, `-${part}.port.grpc=${freePort()}`],
        ]);
        return {
          program: weed,
          args: [
            ...["server", `-dir=${root}`, "-ip=127.0.0.1", "-ip.bind=127.0.0.1", ...parts, "-volume.max=4"],
            ...["-s3", `-s3.port=${port}`, `-s3.port.grpc=${freePort()}`, `-s3.config=${root}/s3.json`],
          ],
        };
      }, "request"),
  },
  {
    name: "S3Proxy",
    program: s3proxy,
    breaks: "replace_seen",
    start: () =>
      startServer((root, port) => {
        const settings = {
          "s3proxy.endpoint": `http://127.0.0.1:${port}`,
          "s3proxy.authorization": "aws-v2-or-v4",
          "s3proxy.identity": KEYS[0],
          "s3proxy.credential": KEYS[1],
          "jclouds.provider": "filesystem-nio2",
          "jclouds.filesystem.basedir": root,
        };
        const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
        Deno.writeTextFileSync(`${root}/settings`, lines.join(""));
        return { program: "java", args: ["-jar", s3proxy, "--properties", `${root}/settings`] };
      }),
  },
  {
    name: "moto",
    program: moto,
    breaks: "replace_seen",
    start: () =>
      startServer((_, port) => ({ program: moto, args: ["-H", "127.0.0.1", "-p", String(port)] }), "request"),
  },
];

for (const { name, program, start, breaks } of SERVERS) {
  Deno.test({
    name: `store check, and a shared store: ${name}`,
    ignore: isMissing(program) || isMissing(AWS),
    async fn() {
      await using server = await start();
      for (let turn = 0; turn < runsOf(1); turn++) {
        using world = makeWorld();
        const url = storeUrl(server.endpoint, `turn${turn}`);
        const env = {
          ...server.env,
          FDTOOL_STORE: url,
          FDTOOL_UPLOAD_WAIT: "60s",
          FDTOOL_CACHE: world.path("a"),
        };
        const run = (args: readonly string[], stdin = new Uint8Array(), cache = "a") =>
          world.run(args, { stdin, env: { ...env, FDTOOL_CACHE: world.path(cache) } });
        const connected = await run(["store", "connect", url]);
        if (breaks !== undefined) {
          assertEquals(connected.code, 1, connected.text);
          assertMatch(connected.text, new RegExp(`Not connected\\. .*${breaks}: `));
          continue;
        }
        assertEquals([connected.code, connected.stderr], [0, ""]);
        const contents = [new TextEncoder().encode("one\n"), new Uint8Array(manyLines(2 * 2 ** 20))];
        for (const content of contents) await run(["capture", "--always", "--name", "kept"], content);
        for (const [at, content] of contents.entries()) {
          const read = await run(["read", `fd:${at + 1}`, "--all", "--format", "raw"], undefined, "b");
          assertEquals(read.stdout, content);
        }
        assertEquals((await run(["store", "limits", "--quota", "1"])).code, 0);
        assertMatch((await run(["gc"], undefined, "b")).text, /removed_count="1"/);
        const checked = await run(["verify", "--remote"]);
        assertEquals([checked.code, checked.stderr], [0, ""]);
      }
    },
    sanitizeResources: false,
    sanitizeOps: false,
  });
}

Deno.test({
  name: "S3's API takes the lifecycle rules of docs/recipes",
  ignore: isMissing(moto) || isMissing(AWS),
  async fn() {
    await using server = await SERVERS.find(({ name }) => name === "moto")!.start();
    const path = join(CHECKOUT, "docs/recipes/lifecycle.json");
    const configuration = ["--lifecycle-configuration", `file://${path}`];
    await aws(server, ["s3api", "put-bucket-lifecycle-configuration", "--bucket", BUCKET, ...configuration]);
  },
  sanitizeResources: false,
  sanitizeOps: false,
});
