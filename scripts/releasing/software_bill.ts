/**
 * Writes the software bill of materials of one binary as CycloneDX JSON: its components with version, license and the
 * checksum from the lock file. It has no time and no serial number, so that the same binary has the same bill.
 */

import { Buffer } from "node:buffer";
import { lockedPackage } from "../fetch_runtime.ts";
import type { BundledPackage } from "./bundled_packages.ts";

/** The subject of the bill. */
export interface BilledBinary {
  version: string;
  /** The binary's file name and SHA-256. */
  file: string;
  sha256: string;
  /** The npm package that its runtime comes from. */
  runtimePackage: string;
}

/** The bill of `binary`, as text. */
export function softwareBill(
  checkout: string,
  binary: BilledBinary,
  packages: readonly BundledPackage[],
): string {
  const runtime = lockedPackage(checkout, binary.runtimePackage);
  const components = [
    {
      ...npmComponent({ ...runtime, name: binary.runtimePackage, license: "MIT" }, "platform"),
      pedigree: {
        notes:
          "Names of environment variables that it would obey are overwritten (scripts/hardened_runtime.ts).",
      },
    },
    ...packages.map((each) => npmComponent(each, "library")),
  ];
  const own = `pkg:npm/fdtool@${binary.version}`;
  return `${
    JSON.stringify(
      {
        $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
        bomFormat: "CycloneDX",
        specVersion: "1.6",
        version: 1,
        metadata: {
          component: {
            type: "application",
            "bom-ref": own,
            name: "fdtool",
            version: binary.version,
            licenses: [{ license: { id: "MIT" } }],
            purl: own,
            properties: [{ name: "fdtool:file", value: binary.file }],
            hashes: [{ alg: "SHA-256", content: binary.sha256 }],
          },
        },
        components,
        dependencies: [{ ref: own, dependsOn: components.map((component) => component["bom-ref"]) }],
      },
      null,
      2,
    )
  }\n`;
}

type Locked = Pick<BundledPackage, "name" | "version" | "license" | "integrity">;

function npmComponent({ name, version, license, integrity }: Locked, type: "library" | "platform") {
  const [scope, inScope] = name.startsWith("@") ? name.split("/") : [undefined, name];
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type,
    "bom-ref": purl,
    ...(scope === undefined ? {} : { group: scope }),
    name: inScope,
    version,
    licenses: [{ license: { id: license } }],
    purl,
    hashes: [{
      alg: "SHA-512",
      content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex"),
    }],
  };
}
