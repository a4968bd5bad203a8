// Promises: if any call fails, a replaced file is the old one or the new one, whole; no temporary files
// remain; permission bits are preserved (contract, law 5 and Writing files).

import { assert, assertEquals, assertThrows } from "@std/assert";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failEachCall } from "../../tests/failing_disk.ts";
import { disk } from "./disk.ts";
import { FdError } from "./errors.ts";
import { placeStaged, removeStaged, stageFile, temporaryPathFor } from "./replace_file.ts";

const OLD = "old content\n";
const NEW = "new content, of another length\n";

function inDirectory<T>(use: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), "replace-"));
  const done = () => rmSync(directory, { recursive: true });
  try {
    const result = use(directory);
    if (result instanceof Promise) return result.finally(done) as T;
    done();
    return result;
  } catch (thrown) {
    done();
    throw thrown;
  }
}

function replace(path: string, options: { mode?: number | undefined; mustBeNew: boolean }): void {
  const temporaryPath = temporaryPathFor(path);
  const bytes = new TextEncoder().encode(NEW);
  const content = { chunks: () => [bytes.subarray(0, 7), bytes.subarray(7)] };
  stageFile({ temporaryPath, content, mode: options.mode });
  try {
    placeStaged(temporaryPath, path, { mustBeNew: options.mustBeNew });
  } catch (thrown) {
    removeStaged(temporaryPath);
    throw thrown;
  }
}

Deno.test("a failing call leaves a replaced file old or new, and the failure is typed", async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, "f");
    const tried = await failEachCall({
      prepare: () => writeFileSync(path, OLD),
      action: () => replace(path, { mode: 0o640, mustBeNew: false }),
      afterwards: ({ hit, thrown }) => {
        const content = readFileSync(path, "utf8");
        assert(content === OLD || content === NEW, JSON.stringify({ hit, content }));
        assert(thrown === undefined || thrown instanceof FdError, JSON.stringify(hit));
        if (thrown === undefined) assertEquals(content, NEW);
        const beside = readdirSync(directory);
        // The failing call may be the removal of the temporary file.
        if (hit.member !== "unlink") assertEquals(beside, ["f"], JSON.stringify(hit));
        for (const name of beside) if (name !== "f") rmSync(join(directory, name));
      },
    });
    assert(tried > 20, String(tried));
  });
});

Deno.test("a failing call leaves a new file absent or whole", async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, "f");
    await failEachCall({
      prepare: () => {
        for (const name of readdirSync(directory)) rmSync(join(directory, name));
      },
      action: () => replace(path, { mustBeNew: true }),
      afterwards: ({ hit }) => {
        const names = readdirSync(directory);
        for (const name of names) {
          assert(
            name === "f" || name.startsWith(".fdtool-") && hit.member === "unlink",
            JSON.stringify({ hit, names }),
          );
        }
        if (names.includes("f")) assertEquals(readFileSync(path, "utf8"), NEW);
      },
    });
  });
});

Deno.test("a file that must be new does not replace an existing one", () => {
  inDirectory((directory) => {
    const path = join(directory, "f");
    writeFileSync(path, OLD);
    const thrown = assertThrows(() => replace(path, { mustBeNew: true }), FdError);
    assertEquals(thrown.failure, { kind: "file_exists", path });
    assertEquals(readFileSync(path, "utf8"), OLD);
    assertEquals(readdirSync(directory), ["f"]);
  });
});

Deno.test("permission bits are preserved, including set-user and set-group", () => {
  inDirectory((directory) => {
    const path = join(directory, "f");
    for (const mode of [0o600, 0o644, 0o755, 0o400, 0o4755, 0o2750]) {
      writeFileSync(path, OLD);
      chmodSync(path, mode);
      replace(path, { mode, mustBeNew: false });
      assertEquals(statSync(path).mode & 0o7777, mode);
      rmSync(path);
    }
  });
});

Deno.test("set-user and set-group bits are dropped if the owner or group cannot be restored", () => {
  inDirectory((directory) => {
    const real = disk.fchown;
    disk.fchown = () => {
      throw Object.assign(new Error("EPERM"), { code: "EPERM" });
    };
    try {
      const { uid = 0, gid = 0 } = statSync(directory);
      const content = { chunks: () => [] };
      const modeFor = (owner: { uid: number; gid: number }) => {
        const temporaryPath = temporaryPathFor(join(directory, "f"));
        const { ownerKept } = stageFile({ temporaryPath, content, mode: 0o6755, owner });
        assertEquals(ownerKept, owner.uid === uid && owner.gid === gid);
        return statSync(temporaryPath).mode & 0o7777;
      };
      assertEquals(modeFor({ uid, gid }), 0o6755);
      assertEquals(modeFor({ uid: uid + 1, gid }), 0o2755);
      assertEquals(modeFor({ uid, gid: gid + 1 }), 0o4755);
      assertEquals(modeFor({ uid: uid + 1, gid: gid + 1 }), 0o755);
    } finally {
      disk.fchown = real;
    }
  });
});

Deno.test("content that throws half-way leaves no files behind", () => {
  inDirectory((directory) => {
    const temporaryPath = temporaryPathFor(join(directory, "f"));
    const content = {
      *chunks(): Iterable<Uint8Array> {
        yield new Uint8Array(100);
        throw new RangeError("the source broke");
      },
    };
    assertThrows(() => stageFile({ temporaryPath, content }), RangeError);
    assertEquals(readdirSync(directory), []);
  });
});
