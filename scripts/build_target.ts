/**
 * The systems fdtool is built for, and the npm packages of their runtimes.
 */

/** One system: how it is called here, by Bun, and in npm. */
export interface BuildTarget {
  name: string;
  bunTarget: string;
  runtimePackage: string;
}

/** Every system that the registry has a runtime for. */
export const BUILD_TARGETS: readonly BuildTarget[] = [
  target("linux-x64", "linux-x64"),
  target("linux-arm64", "linux-aarch64"),
  target("linux-x64-musl", "linux-x64-musl"),
  target("linux-arm64-musl", "linux-aarch64-musl"),
  target("darwin-x64", "darwin-x64"),
  target("darwin-arm64", "darwin-aarch64"),
  target("windows-x64", "windows-x64"),
  target("windows-arm64", "windows-aarch64"),
];

function target(name: string, packageSuffix: string): BuildTarget {
  return { name, bunTarget: `bun-${name}`, runtimePackage: `@oven/bun-${packageSuffix}` };
}

/** The target whose runtime package holds `runtimePath`, such as `…/@oven/bun-linux-x64/bin/bun`. */
export function targetOfRuntime(runtimePath: string): BuildTarget | undefined {
  const folder = runtimePath.replaceAll("\\", "/").split("/").at(-3);
  return BUILD_TARGETS.find(({ runtimePackage }) => runtimePackage === `@oven/${folder}`);
}
