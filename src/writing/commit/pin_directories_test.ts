// Promise: a write stays in the directory that was checked, wherever its name leads by then (SECURITY.md, "--root").

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
import { FdError } from "../../../fd/system.ts";
import { PinnedDirectories } from "./pin_directories.ts";
import { WriteError } from "../../calls/terms/write_failure.ts";

function inTree(test: (root: string, outside: string) => void): void {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pinned-")));
  try {
    for (const name of ["root/inside", "outside"]) mkdirSync(join(base, name), { recursive: true });
    test(join(base, "root"), join(base, "outside"));
  } finally {
    rmSync(base, { recursive: true });
  }
}

/** The files that this process has open in `root`, without those of other tests. */
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
  "a pinned directory stays the opened one when a link replaces it",
  onlyLinux,
  () => {
    inTree((root, outside) => {
      const pinned = new PinnedDirectories({ cwd: root, root: "." });
      const path = pinned.at(join(root, "inside", "f"));
      renameSync(join(root, "inside"), join(root, "moved"));
      symlinkSync(outside, join(root, "inside"));
      writeFileSync(path, "x");
      assertEquals(pinned.at(join(root, "inside", "f")), path);
      pinned.closeOldest(0);
      assertEquals([readdirSync(outside), readdirSync(join(root, "moved"))], [[], ["f"]]);
    });
  },
);

Deno.test(
  "a directory that a link replaced, or that is now outside of the root, is refused each time",
  onlyLinux,
  () => {
    inTree((root, outside) => {
      mkdirSync(join(root, "inside/deep"));
      mkdirSync(join(outside, "deep"));
      renameSync(join(root, "inside"), join(root, "moved"));
      symlinkSync(outside, join(root, "inside"));
      const pinned = new PinnedDirectories({ cwd: root, root: "." });
      for (let twice = 0; twice < 2; twice++) {
        const link = assertThrows(() => pinned.at(join(root, "inside/f")), WriteError);
        assertEquals(link.failure.kind, "stale_file");
        const beyond = assertThrows(() => pinned.at(join(root, "inside/deep/f")), FdError);
        assertEquals(beyond.failure.kind, "outside_root");
      }
      pinned.closeOldest(0);
    });
  },
);

Deno.test(
  "with hundreds of directories only some are open, and all stay pinned",
  onlyLinux,
  () => {
    inTree((root, outside) => {
      const pinned = new PinnedDirectories({ cwd: root, root: "." });
      for (const name of Array.from({ length: 300 }, (_, at) => `d${at}`)) {
        mkdirSync(join(root, name));
        writeFileSync(pinned.at(join(root, name, "f")), "x");
      }
      assert(openIn(root).length < 100);
      writeFileSync(pinned.at(join(root, "d0", "f")), "y");
      assertEquals(readFileSync(join(root, "d0", "f"), "utf8"), "y");
      // A closed directory is still identified.
      pinned.closeOldest(0);
      for (const name of ["d1", "d2", "d3"]) renameSync(join(root, name), join(root, `moved-${name}`));
      symlinkSync(outside, join(root, "d1"));
      mkdirSync(join(root, "d2"));
      for (const name of ["d1", "d2", "d3"]) {
        const swapped = assertThrows(() => pinned.at(join(root, name, "f")), WriteError);
        assertEquals(swapped.failure.kind, "stale_file");
      }
      pinned.closeOldest(0);
      assertEquals(openIn(root), []);
    });
  },
);

Deno.test("a failure names the real path, not the one through the descriptor", () => {
  inTree((root) => {
    const pinned = new PinnedDirectories({ cwd: root, root: undefined });
    const real = join(root, "inside/f");
    const named = pinned.named(
      new FdError({ kind: "write_error", path: pinned.at(real), action: "x", code: "EIO" }),
    );
    pinned.closeOldest(0);
    assertEquals(named instanceof FdError && "path" in named.failure && named.failure.path, real);
  });
});
