/**
 * The systems fdtool is built for, and the npm packages of their runtimes.
 */

/** One system: how it is called here, by Bun, in npm, and by Deno (where Deno knows it). */
export interface BuildTarget {
  name: string;
  bunTarget: string;
  runtimePackage: string;
  denoTarget: string | undefined;
}

/** Every system that the registry has a runtime for. */
export const BUILD_TARGETS: readonly BuildTarget[] = [
  target("linux-x64", "linux-x64", "x86_64-unknown-linux-gnu"),
  target("linux-arm64", "linux-aarch64", "aarch64-unknown-linux-gnu"),
  target("linux-x64-musl", "linux-x64-musl", undefined),
  target("linux-arm64-musl", "linux-aarch64-musl", undefined),
  target("darwin-x64", "darwin-x64", "x86_64-apple-darwin"),
  target("darwin-arm64", "darwin-aarch64", "aarch64-apple-darwin"),
  target("windows-x64", "windows-x64", "x86_64-pc-windows-msvc"),
  target("windows-arm64", "windows-aarch64", undefined),
];

function target(name: string, packageSuffix: string, denoTarget: string | undefined): BuildTarget {
  return { name, bunTarget: `bun-${name}`, runtimePackage: `@oven/bun-${packageSuffix}`, denoTarget };
}

/** The target whose runtime package holds `runtimePath`, such as `…/@oven/bun-linux-x64/bin/bun`. */
export function targetOfRuntime(runtimePath: string): BuildTarget | undefined {
  const folder = runtimePath.replaceAll("\\", "/").split("/").at(-3);
  return BUILD_TARGETS.find(({ runtimePackage }) => runtimePackage === `@oven/${folder}`);
}
