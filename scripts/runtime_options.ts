/**
 * Options of the runtime for calls that end soon. They can only be set in the environment, which fdtool must not obey, so their
 * defaults are changed in the copy of the runtime that fdtool is compiled onto. (Processor time of whole calls, 2026-11-29.)
 *
 * - A thread that makes pages of the heap resident starts after 64 blocks of 16 KiB. A small call needs about 70, and ends before the
 *   thread is of use: starting it takes a twelfth of the call. So it starts after 16 MiB: such a call takes longer than that.
 * - Threads compile while the slow interpreter goes on with the code that they compile. To start them, and to interpret meanwhile,
 *   took a tenth of the first answer to 10 KiB to 1 MiB. So code that needs compiling waits for it.
 * - A function is compiled without optimising once it has looped 500 times, which in a call that ends soon is not paid back: a
 *   twentieth of the first answer to 1 MiB. So it is done after 2,000 times.
 * - A function of WebAssembly is compiled once it has looped 150 times. All that loop at all are compiled for a digest, and to
 *   interpret them until then took a twenty-fifth of the first answer to 1 MiB. So it is done at the first loop.
 * - It is optimised once it has looped 50,000 times. For the kernel of digests that takes 40 ms, as long as all else of 1 MiB. So it
 *   is done after 1.6 million times, in about 28 MiB of log lines.
 */

/** A place in a runtime's x86-64 code or constants: bytes with `??` for any; the byte after `|` is the first of the value. */
interface RuntimeOption {
  pattern: string;
  value: Uint8Array;
}

const RUNTIME_OPTIONS: readonly RuntimeOption[] = [
  {
    // 32 blocks are made resident, after 64; the next option is 10 seconds without a request.
    pattern: "48b820000000|40000000488905????????48b80000000000002440",
    value: int32(1024),
  },
  {
    // What the runtime sets for `bun -e` alone: no threads compile, and one marks garbage. Its jump is written over.
    pattern: "803801|7511c605????????00c705????????01000000",
    value: Uint8Array.of(0x90, 0x90),
  },
  {
    // Loops of JavaScript before the first compilation, for one soon, and before optimising.
    pattern: "|f401000064000000e8030000e8030000",
    value: int32(2000),
  },
  {
    // Loops of WebAssembly before the first compilation, for one soon, and before optimising, for that soon.
    pattern: "|960000003200000050c30000f4010000",
    value: int32(1, 50, 1_600_000),
  },
];

function int32(...values: number[]): Uint8Array {
  return new Uint8Array(Int32Array.from(values).buffer);
}

/**
 * Overwrites the defaults, in place, in a runtime for x86-64; others have other code. Returns how many were found, each in one place.
 */
export function setRuntimeOptions(runtime: Buffer): number {
  // One char a byte.
  const text = runtime.toString("latin1");
  return RUNTIME_OPTIONS.filter(({ pattern, value }) => {
    const [before, after] = pattern.split("|").map((part) =>
      part.replace(/../g, (byte) => byte === "??" ? "[^]" : `\\x${byte}`)
    );
    const [found, ...others] = text.matchAll(new RegExp(`(${before})${after}`, "g"));
    if (found === undefined || others.length > 0) return false;
    runtime.set(value, found.index + found[1]!.length);
    return true;
  }).length;
}
