// Promise: the released binary runs in an image that contains only the binary and what its Containerfile copies, as
// any user, without HOME or an entry in passwd, on a read-only root with one writable volume. No registry is asked: the
// Containerfile's steps are done here, and the root is entered by namespaces of an ordinary user.

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import packageFile from "../package.json" with { type: "json" };
import { containerFile } from "../scripts/releasing/container_file.ts";
import { buildImage, type BuiltImage } from "./containerfile.ts";
import { CHECKOUT, type Finished, makeWorld, programUnderTest, quoteForShell, type World } from "./world.ts";

const [program, ...rest] = programUnderTest();

/** Of this processor: its name for builders of images, the released file, and Debian's place of the C library. */
const PROCESSOR = {
  x86_64: {
    TARGETARCH: "amd64",
    file: "fdtool-linux-x64",
    loader: "/lib64/ld-linux-x86-64.so.2",
    libraries: "/lib/x86_64-linux-gnu",
  },
  aarch64: {
    TARGETARCH: "arm64",
    file: "fdtool-linux-arm64",
    loader: "/lib/ld-linux-aarch64.so.1",
    libraries: "/lib/aarch64-linux-gnu",
  },
}[Deno.build.arch];

const USER = "12345";

/** Makes the root read-only except its volume, and becomes an ordinary user in it. Without `proc`, /proc stays empty. */
const ENTER = `
set -e
root=$1 proc=$2 volume=$3
shift 3
mount --rbind "$root" "$root"
[ "$proc" = no ] || mount --rbind /proc "$root/proc"
mount --rbind "$root$volume" "$root$volume"
mount -o remount,ro,bind "$root"
exec unshare --user --map-user=${USER} --map-group=${USER} --root="$root" --wd="$volume" "$@"
`;

/** Why the tests cannot run here; undefined if they can. */
function refusal(): string | undefined {
  if (rest.length > 0) return "the source form is no released file";
  if (Deno.build.os !== "linux") return "not on Linux";
  const { loader, libraries } = PROCESSOR;
  if (!exists(loader) || !exists(join(libraries, "libc.so.6"))) {
    return "this system keeps its C library elsewhere";
  }
  const probe = `mount --rbind /mnt /mnt && exec unshare --user --map-user=${USER} --map-group=${USER} true`;
  try {
    const { success } = new Deno.Command("unshare", {
      args: ["--map-root-user", "--mount", "sh", "-c", probe],
      stdout: "null",
      stderr: "null",
    }).outputSync();
    return success ? undefined : "no user namespaces for ordinary users here";
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return "no unshare(1) here";
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return false;
  }
}

/** An image of the binary under test, and a way to call it. */
interface Image extends BuiltImage {
  root: string;
  call(args: readonly string[], options?: Call): Promise<Finished>;
}

interface Call {
  stdin?: string | undefined;
  /** In place of the image's own environment. */
  env?: Readonly<Record<string, string>> | undefined;
  proc?: boolean | undefined;
}

function makeImage(world: World): Image {
  const root = world.path("root");
  const { TARGETARCH, file } = PROCESSOR;
  const built = buildImage({
    text: containerFile(CHECKOUT),
    args: { TARGETARCH },
    context: { [file]: program },
    root,
  });
  // What every container runtime adds.
  Deno.mkdirSync(join(root, "proc"));
  const [volume = ""] = built.volumes;
  return {
    ...built,
    root,
    call(words, { stdin, env = built.env, proc = true } = {}) {
      const command = [
        ...["unshare", "--map-root-user", "--mount", "sh", "-c", ENTER, "sh"],
        ...[root, proc ? "yes" : "no", volume, ...built.entrypoint, ...words],
      ];
      // The world's own environment is for other tests: no HOME here, and no store but the image's.
      const cleared = Object.fromEntries(Object.keys(world.env).map((name) => [name, undefined]));
      const path = { PATH: world.env["PATH"] };
      return world.shell(`exec ${command.map(quoteForShell).join(" ")}`, {
        stdin,
        env: { ...cleared, ...path, ...env },
      });
    },
  };
}

const LINES = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}\n`).join("");

function testInImage(name: string, fn: (image: Image, world: World) => Promise<void>): void {
  const reason = refusal();
  Deno.test({
    name: `empty root: ${name}${reason === undefined ? "" : ` (skipped: ${reason})`}`,
    ignore: reason !== undefined,
    async fn() {
      using world = makeWorld();
      await fn(makeImage(world), world);
    },
  });
}

testInImage("the image holds the binary and the C library, and runs as no known user", (image) => {
  const loaders = /^\/lib(64)?\/(ld-linux-[\w-]+\.so\.\d|[\w-]+\/lib(c|m|pthread|dl)\.so\.\d)$/;
  assertEquals(image.files.filter((path) => !loaders.test(path)), ["/usr/bin/fdtool", "/data"]);
  assertEquals({ entrypoint: image.entrypoint, volumes: image.volumes, env: image.env }, {
    entrypoint: ["/usr/bin/fdtool"],
    volumes: ["/data"],
    env: { FDTOOL_STORE: "/data" },
  });
  assert(/^[1-9]\d*:[1-9]\d*$/.test(image.user), image.user);
  assertEquals(image.labels["org.opencontainers.image.title"], "fdtool");
  assertEquals(image.labels["org.opencontainers.image.version"], packageFile.version);
  assertEquals(image.labels["org.opencontainers.image.licenses"], packageFile.license);
  return Promise.resolve();
});

testInImage("the main job, searching, exporting, undoing and verifying work", async (image, world) => {
  const stored = await image.call(["capture", "--format", "json"], { stdin: LINES });
  assertEquals({ code: stored.code, stderr: stored.stderr }, { code: 0, stderr: "" });
  assertEquals(JSON.parse(stored.text).total_lines, 5000);
  const whole = await image.call(["read", "fd:1", "--all", "--format", "raw"]);
  assertEquals(whole.text, LINES);
  const found = await image.call(["search", "fd:1", "line 499[0-9]$", "--format", "json"]);
  assertEquals(JSON.parse(found.text).total, 10);
  assertEquals((await image.call(["to-file", "fd:1", "out/log.txt"])).code, 0);
  assertEquals(world.text("root/data/out/log.txt"), LINES);
  assertEquals((await image.call(["edit", "out/log.txt", "--old", "line 77\n", "--new", "seven\n"])).code, 0);
  assertEquals((await image.call(["undo"])).code, 0);
  assertEquals(world.text("root/data/out/log.txt"), LINES);
  const ran = await image.call(["run", "--", "/usr/bin/fdtool", "read", "fd:99"]);
  assertEquals(ran.code, 1);
  assertEquals((await image.call(["run", "--", "/no/such/program"])).code, 127);
  assertEquals((await image.call(["verify"])).code, 0);
});

testInImage("without a place for the store the output still reaches the caller", async (image) => {
  // No HOME, no FDTOOL_STORE, no /tmp, and a root without write permission.
  for (const env of [{}, { HOME: "/nonexistent" }, { FDTOOL_STORE: "/usr/store" }]) {
    const { code, text, stderr } = await image.call(["capture"], { stdin: LINES, env });
    assertEquals({ code, text }, { code: 0, text: LINES });
    assert(/<fd_error .*; set FDTOOL_STORE to a directory that you can write</.test(stderr), stderr);
  }
});

testInImage("a user without rights on the volume is told what to set, and loses no output", async (image) => {
  const volume = join(image.root, "data");
  const pass = async (problem: string) => {
    const { code, text, stderr } = await image.call(["capture"], { stdin: LINES });
    assertEquals({ code, text }, { code: 0, text: LINES }, stderr);
    assert(stderr.includes(`${problem} /data: `), stderr);
    assert(stderr.includes("; set FDTOOL_STORE to a directory that you can write<"), stderr);
  };
  Deno.chmodSync(volume, 0o555);
  await pass("Cannot create the store");
  Deno.chmodSync(volume, 0o755);
  assertEquals((await image.call(["capture", "--always"], { stdin: "mine" })).code, 0);
  // Only root can give it to another user.
  if (Deno.uid() !== 0) return;
  Deno.chownSync(volume, 4242, 4242);
  await pass("Cannot use another user's store");
  const { text } = await image.call(["doctor"]);
  assert(text.includes("the store /data belongs to another user"), text);
  assert(!text.includes("chmod"), text);
});

testInImage("what is read-only stays, and the refusal says so", async (image, world) => {
  await image.call(["capture"], { stdin: LINES });
  for (const path of ["/new.txt", "/usr/bin/fdtool"]) {
    const { code, stderr } = await image.call(["to-file", "fd:1", path, "--format", "json"]);
    assertEquals({ code, error: JSON.parse(stderr).error }, { code: 1, error: "permission_error" }, path);
  }
  assertEquals(world.bytes("root/usr/bin/fdtool"), Deno.readFileSync(program));
  const refused = await image.call(["run", "--shell", "--", "echo hello"]);
  assertEquals({ code: refused.code, text: refused.text }, { code: 127, text: "" });
});

testInImage("each library that the image copies is needed", async (image) => {
  for (const library of image.files.filter((path) => /\.so\.\d$/.test(path))) {
    Deno.renameSync(join(image.root, library), join(image.root, `${library}.away`));
    const { code } = await image.call(["--version"]);
    assert(code !== 0, library);
    Deno.renameSync(join(image.root, `${library}.away`), join(image.root, library));
  }
  assertEquals((await image.call(["--version"])).code, 0);
});

testInImage(
  "without /proc the C library's build does not start, and touches nothing",
  async (image, world) => {
    const { code, text } = await image.call(["capture", "--always"], { stdin: "x", proc: false });
    assert(code !== 0);
    assertEquals(text, "");
    assertEquals([...Deno.readDirSync(world.path("root/data"))], []);
  },
);
