/**
 * Makes the Debian package of a system without Debian's tools (deb(5)): an `ar` archive of two compressed tar archives, the
 * same bytes each time.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { createHash } from "node:crypto";
import type { PackageSources, SystemBinary } from "./npm_packages.ts";
import { readOwnPackage, webPages } from "./own_package.ts";

/** The systems that packages are made for, with Debian's names of their processors. */
export const DEBIAN_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["linux-x64", "amd64"],
  ["linux-arm64", "arm64"],
]);

/** The name and bytes of the package. */
export function debianPackage(
  { target, binary }: SystemBinary,
  { checkout, notices, manPages }: Pick<PackageSources, "checkout" | "notices" | "manPages">,
): { name: string; bytes: Uint8Array } {
  const own = readOwnPackage(checkout);
  const architecture = DEBIAN_SYSTEMS.get(target.name);
  const docs = "usr/share/doc/fdtool";
  const packed = (text: string) => gzipSync(text, { level: 9 });
  const text = (name: string) => readFileSync(join(checkout, name), "utf8");
  const completion = (shell: string) => text(`src/commands/completing/fdtool.${shell}`);
  const files = new Map<string, Uint8Array | string>([
    ["usr/bin/fdtool", readFileSync(binary)],
    ["usr/share/bash-completion/completions/fdtool", completion("bash")],
    [`${docs}/changelog.gz`, packed(text("CHANGELOG.md"))],
    [`${docs}/copyright`, `${text("LICENSE")}\n\n${notices}`],
    ["usr/share/fish/vendor_completions.d/fdtool.fish", completion("fish")],
    ...[...manPages].map(([name, page]) => [`usr/share/man/man1/${name}.gz`, packed(page)] as const),
    ["usr/share/zsh/vendor-completions/_fdtool", completion("zsh")],
  ]);
  const sizeKiB = [...files.values()].reduce((sum, { length }) => sum + Math.ceil(length / 1024), 0);
  const { homepage } = webPages(own);
  const control = [
    "Package: fdtool",
    `Version: ${own.version}`,
    `Architecture: ${architecture}`,
    // A publisher sets it in package.json.
    `Maintainer: ${own.author ?? "fdtool authors <fdtool@example.invalid>"}`,
    `Installed-Size: ${sizeKiB}`,
    "Depends: libc6 (>= 2.17)",
    "Section: utils",
    "Priority: optional",
    ...homepage === undefined ? [] : [`Homepage: ${homepage}`],
    `Description: ${own.description.toLowerCase().replace("llm", "LLM")}`,
    " fdtool stores large output of commands as fd:N, shows a preview, and lets",
    " agents read and search slices. It writes files with checks and an undo.",
    "",
  ].join("\n");
  const sums = [...files].map(([name, content]) =>
    `${createHash("md5").update(content).digest("hex")}  ${name}\n`
  );
  return {
    name: `fdtool_${own.version}_${architecture}.deb`,
    bytes: arArchive([
      ["debian-binary", Buffer.from("2.0\n")],
      ["control.tar.zst", tarball(new Map([["control", control], ["md5sums", sums.join("")]]))],
      ["data.tar.zst", tarball(files)],
    ]),
  };
}

function arArchive(members: readonly (readonly [name: string, bytes: Uint8Array])[]): Uint8Array {
  const parts = members.flatMap(([name, bytes]) => {
    const head = [name.padEnd(16), "0".padEnd(12), "0".padEnd(6), "0".padEnd(6), "100644".padEnd(8)];
    return [
      Buffer.from(`${head.join("")}${String(bytes.length).padEnd(10)}\`\n`),
      bytes,
      Buffer.alloc(bytes.length % 2, "\n"),
    ];
  });
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts]);
}

const BLOCK_BYTES = 512;
/** As in wheels: a date before 1975 is refused as an error of a clock. */
const MTIME_SECONDS = Date.UTC(1980, 0, 1) / 1000;

/** The files, each after its directories, compressed. What is in `bin` can be run. */
function tarball(files: ReadonlyMap<string, Uint8Array | string>): Uint8Array {
  const blocks: Uint8Array[] = [];
  const made = new Set<string>();
  const add = (path: string, content: Uint8Array | string, isDirectory: boolean) => {
    const bytes = Buffer.from(content);
    const mode = isDirectory || /\/bin\//.test(path) ? 0o755 : 0o644;
    blocks.push(tarHeader(`./${path}`, mode, bytes.length, isDirectory), bytes);
    blocks.push(Buffer.alloc((BLOCK_BYTES - bytes.length % BLOCK_BYTES) % BLOCK_BYTES));
  };
  for (const [path, content] of files) {
    for (let end = path.indexOf("/"); end > 0; end = path.indexOf("/", end + 1)) {
      const directory = path.slice(0, end + 1);
      if (!made.has(directory)) add(directory, "", true);
      made.add(directory);
    }
    add(path, content, false);
  }
  return compressed(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]));
}

/** Compresses by Zstandard: a fifth smaller than gzip; Debian reads it since 12, Ubuntu since 18.04. */
export function compressed(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}

/** The header of a member that root owns, as GNU tar and dpkg read it. */
function tarHeader(name: string, mode: number, byteCount: number, isDirectory: boolean): Uint8Array {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  const header = Buffer.alloc(BLOCK_BYTES);
  const fields = [octal(mode, 7), octal(0, 7), octal(0, 7), octal(byteCount, 11), octal(MTIME_SECONDS, 11)];
  header.write(name, 0, "latin1");
  header.write(`${fields.join("")}        ${isDirectory ? "5" : "0"}`, 100, "latin1");
  header.write("ustar\u000000root", 257, "latin1");
  header.write("root", 297, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148, "latin1");
  return header;
}
