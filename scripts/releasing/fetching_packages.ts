/** Makes a formula for Homebrew and a derivation for Nix, which fetch the binaries of a release and know their sums. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { SystemBinary } from "./npm_packages.ts";
import { type OwnPackage, webPages } from "./own_package.ts";

/** Systems as Nix and Homebrew call them. */
const SYSTEMS: readonly (readonly [target: string, nix: string, brew: readonly [string, string]])[] = [
  ["darwin-arm64", "aarch64-darwin", ["macos", "arm"]],
  ["darwin-x64", "x86_64-darwin", ["macos", "intel"]],
  ["linux-arm64", "aarch64-linux", ["linux", "arm"]],
  ["linux-x64", "x86_64-linux", ["linux", "intel"]],
];

/** The files by their names, for those systems that there are binaries of. */
export function fetchingPackages(
  own: OwnPackage,
  binaries: readonly SystemBinary[],
): Readonly<Record<string, string>> {
  // Until a publisher names the repository, nothing can be fetched.
  const { repository = "https://github.com/OWNER/fdtool", homepage = repository } = webPages(own);
  const { version, description } = own;
  const fetched = SYSTEMS.flatMap(([name, nix, brew]) => {
    const binary = binaries.find(({ target }) => target.name === name)?.binary;
    if (binary === undefined) return [];
    const url = `${repository}/releases/download/v${version}/${basename(binary)}`;
    return [{ nix, brew, url, sha256: createHash("sha256").update(readFileSync(binary)).digest("hex") }];
  });
  const formula = `class Fdtool < Formula
  desc "${description}"
  homepage "${homepage}"
  version "${version}"
  license "${own.license}"

${
    fetched.map(({ brew: [system, processor], url, sha256 }) =>
      `  on_${system} do
    on_${processor} do
      url "${url}"
      sha256 "${sha256}"
    end
  end
`
    ).join("\n")
  }
  def install
    bin.install Dir["fdtool-*"].first => "fdtool"
    chmod 0755, bin/"fdtool"
    generate_completions_from_executable(bin/"fdtool", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/fdtool version")
  end
end
`;
  // The program is a section of the binary: strip removes it, and a longer search path for libraries moves it.
  const derivation = `# nix-build -E 'with import <nixpkgs> {}; callPackage ./fdtool.nix {}'
{ lib, stdenv, fetchurl, patchelf }:
let
  binaries = {
${
    fetched.map(({ nix, url, sha256 }) =>
      `    ${nix} = fetchurl {
      url = "${url}";
      sha256 = "${sha256}";
    };
`
    ).join("")
  }  };
in
stdenv.mkDerivation {
  pname = "fdtool";
  version = "${version}";
  src = binaries.\${stdenv.hostPlatform.system};
  dontUnpack = true;
  dontStrip = true;
  dontPatchELF = true;
  nativeBuildInputs = lib.optional stdenv.hostPlatform.isLinux patchelf;
  installPhase = ''
    install -D -m 755 $src $out/bin/fdtool
  '' + lib.optionalString stdenv.hostPlatform.isLinux ''
    patchelf --set-interpreter "$(cat $NIX_CC/nix-support/dynamic-linker)" $out/bin/fdtool
  '';
  meta = {
    description = "${description}";
    homepage = "${homepage}";
    license = lib.licenses.mit;
    mainProgram = "fdtool";
    platforms = builtins.attrNames binaries;
  };
}
`;
  return { "fdtool.rb": formula, "fdtool.nix": derivation };
}
