// Promise: anyone who builds a release gets the same bytes.

import { assertEquals } from "@std/assert";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPackage } from "./npm_packages.ts";

Deno.test("who released with a private umask published files that only their owner can read", () => {
  const work = mkdtempSync(join(tmpdir(), "fdtool-pack-"));
  try {
    const packed = [0o600, 0o644].map((mode) => {
      const directory = join(work, mode.toString(8));
      mkdirSync(join(directory, "bin"), { recursive: true });
      writeFileSync(join(directory, "package.json"), '{"name":"sample","version":"1.0.0","files":["bin"]}\n');
      writeFileSync(join(directory, "README.md"), "# sample\n");
      writeFileSync(join(directory, "bin", "sample"), "#!/bin/sh\n");
      chmodSync(join(directory, "package.json"), mode);
      chmodSync(join(directory, "README.md"), mode);
      chmodSync(join(directory, "bin", "sample"), 0o700 | mode);
      return readFileSync(packPackage(directory, join(work, `packed-${mode}`)));
    });
    assertEquals(packed[0], packed[1]);
  } finally {
    rmSync(work, { recursive: true });
  }
});
