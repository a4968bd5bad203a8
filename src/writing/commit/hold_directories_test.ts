// Promises: a write stays in the directory that was checked, wherever its name leads meanwhile (SECURITY.md, "--root").

import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FdError } from "../../../fd/mod.ts";
import { holdDirectories } from "./hold_directories.ts";
import { WriteError } from "../../terms/write_failure.ts";

function inTree(test: (root: string, outside: string) => void): void {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "held-")));
  try {
    for (const name of ["root/inside", "outside"]) mkdirSync(join(base, name), { recursive: true });
    test(join(base, "root"), join(base, "outside"));
  } finally {
    rmSync(base, { recursive: true });
  }
}

/** What this process has open in `root`; other tests have theirs open beside. */
function openIn(root: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`);
      return path.startsWith(`${root}/`) ? [path] : [];
    } catch {
      return [];
    }
  });
}

const onlyLinux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "a directory that is held stays the one that was opened, when a link takes its place",
  onlyLinux,
  () => {
    inTree((root, outside) => {
      const held = holdDirectories({ cwd: root, root: "." });
      const path = held.at(join(root, "inside", "f"));
      renameSync(join(root, "inside"), join(root, "moved"));
      symlinkSync(outside, join(root, "inside"));
      writeFileSync(path, "x");
      assertEquals(held.at(join(root, "inside", "f")), path);
      held.release();
      assertEquals([readdirSync(outside), readdirSync(join(root, "moved"))], [[], ["f"]]);
    });
  },
);

Deno.test(
  "a directory that a link took the place of, or that now lies outside, is refused each time",
  onlyLinux,
  () => {
    inTree((root, outside) => {
      mkdirSync(join(root, "inside/deep"));
      mkdirSync(join(outside, "deep"));
      renameSync(join(root, "inside"), join(root, "moved"));
      symlinkSync(outside, join(root, "inside"));
      const held = holdDirectories({ cwd: root, root: "." });
      for (let twice = 0; twice < 2; twice++) {
        const link = assertThrows(() => held.at(join(root, "inside/f")), WriteError);
        assertEquals(link.failure.kind, "stale_file");
        const beyond = assertThrows(() => held.at(join(root, "inside/deep/f")), FdError);
        assertEquals(beyond.failure.kind, "outside_root");
      }
      held.release();
    });
  },
);

Deno.test(
  "hundreds of directories were all held open, and the next one was not held at all",
  onlyLinux,
  () => {
    inTree((root, outside) => {
      const held = holdDirectories({ cwd: root, root: "." });
      for (const name of Array.from({ length: 300 }, (_, at) => `d${at}`)) {
        mkdirSync(join(root, name));
        writeFileSync(held.at(join(root, name, "f")), "x");
      }
      assert(openIn(root).length < 100);
      writeFileSync(held.at(join(root, "d0", "f")), "y");
      assertEquals(readFileSync(join(root, "d0", "f"), "utf8"), "y");
      // One that is not open just now is still the one that it was.
      held.closeAll();
      for (const name of ["d1", "d2", "d3"]) renameSync(join(root, name), join(root, `moved-${name}`));
      symlinkSync(outside, join(root, "d1"));
      mkdirSync(join(root, "d2"));
      for (const name of ["d1", "d2", "d3"]) {
        const swapped = assertThrows(() => held.at(join(root, name, "f")), WriteError);
        assertEquals(swapped.failure.kind, "stale_file");
      }
      held.release();
      assertEquals(openIn(root), []);
    });
  },
);

Deno.test("a failure is told with the real path, not with the one by which it was reached", () => {
  inTree((root) => {
    const held = holdDirectories({ cwd: root, root: undefined });
    const real = join(root, "inside/f");
    const named = held.named(
      new FdError({ kind: "write_error", path: held.at(real), action: "x", code: "EIO" }),
    );
    held.release();
    assertEquals(named instanceof FdError && "path" in named.failure && named.failure.path, real);
  });
});
