// Promise: the bill and the notices of a release name exactly the components of the binary, and are the same for the same
// binary.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "node:path";
import { bundledPackages } from "./bundled_packages.ts";
import { noticesText } from "./notices.ts";
import { softwareBill } from "./software_bill.ts";

/** A checkout with three packages, of which the binary holds one and a half. */
function makeCheckout(): { path: string; metafile: string } & Disposable {
  const path = Deno.makeTempDirSync({ prefix: "fdtool-bill-" });
  const locked = (version: string) => ({ version, license: "MIT", integrity: `sha512-${btoa(version)}` });
  const packages = {
    "node_modules/@scope/used": locked("1.2.3"),
    "node_modules/used": locked("4.5.6"),
    "node_modules/unused": locked("7.8.9"),
    "node_modules/@oven/bun-linux-x64": { ...locked("1.0.0"), license: undefined },
  };
  Deno.writeTextFileSync(join(path, "package-lock.json"), JSON.stringify({ packages }));
  for (const name of ["@scope/used", "used", "unused"]) {
    Deno.mkdirSync(join(path, "node_modules", name), { recursive: true });
    Deno.writeTextFileSync(join(path, "node_modules", name, "LICENSE"), `license of ${name}\r\n`);
  }
  const metafile = join(path, "meta.json");
  const inputs = (files: Record<string, number>) =>
    Object.fromEntries(Object.entries(files).map(([file, bytesInOutput]) => [file, { bytesInOutput }]));
  writeMetafile(metafile, {
    "main.js": {
      inputs: inputs({ "main.ts": 9, "node_modules/used/index.js": 5, "node_modules/unused/a.js": 0 }),
    },
    "chunk.js": { inputs: inputs({ "node_modules/@scope/used/b.js": 1, "node_modules/used/c.js": 2 }) },
  });
  return { path, metafile, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

function writeMetafile(path: string, outputs: object): void {
  Deno.writeTextFileSync(path, JSON.stringify({ outputs }));
}

const BINARY = {
  version: "0.0.1",
  file: "fdtool-linux-x64",
  sha256: "ab",
  runtimePackage: "@oven/bun-linux-x64",
};

Deno.test("what the compiler put into the binary is listed, with version and license", () => {
  using checkout = makeCheckout();
  const packages = bundledPackages(checkout.path, checkout.metafile);
  assertEquals(packages.map(({ name, version, licenseText }) => [name, version, licenseText]), [
    ["@scope/used", "1.2.3", "license of @scope/used"],
    ["used", "4.5.6", "license of used"],
  ]);
  const notices = noticesText(packages, "1.0.0");
  for (const part of ["Bun 1.0.0 (MIT)", "LGPL-2", "@scope/used 1.2.3 (MIT)", "license of used"]) {
    assert(notices.includes(part), part);
  }
  assert(!notices.includes("unused"));
});

Deno.test("the bill names program, runtime and libraries, and is the same every time", () => {
  using checkout = makeCheckout();
  const packages = bundledPackages(checkout.path, checkout.metafile);
  const bill = softwareBill(checkout.path, BINARY, packages);
  assertEquals(bill, softwareBill(checkout.path, BINARY, packages));
  const { metadata, components, dependencies } = JSON.parse(bill);
  assertEquals(metadata.component.purl, "pkg:npm/fdtool@0.0.1");
  assertEquals(metadata.component.hashes, [{ alg: "SHA-256", content: "ab" }]);
  const purls = ["pkg:npm/%40oven/bun-linux-x64@1.0.0", "pkg:npm/%40scope/used@1.2.3", "pkg:npm/used@4.5.6"];
  assertEquals(components.map(({ purl }: { purl: string }) => purl), purls);
  assertEquals(dependencies, [{ ref: "pkg:npm/fdtool@0.0.1", dependsOn: purls }]);
  assertEquals(components[2].hashes, [{ alg: "SHA-512", content: "342e352e36" }]);
});

Deno.test("a package without a license, or inside of another, is not passed over", () => {
  using checkout = makeCheckout();
  Deno.removeSync(join(checkout.path, "node_modules/used/LICENSE"));
  assertThrows(() => bundledPackages(checkout.path, checkout.metafile), Error, "used has no license file");
  const nested = {
    "main.js": { inputs: { "node_modules/used/node_modules/unused/a.js": { bytesInOutput: 1 } } },
  };
  writeMetafile(checkout.metafile, nested);
  assertThrows(() => bundledPackages(checkout.path, checkout.metafile), Error, "inside another");
});
