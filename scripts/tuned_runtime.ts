/**
 * The runtime starts a helper thread once a program has allocated 64 blocks of its heap (1 MiB), to have pages ready for
 * what comes next. A small call is over by then: it pays for the thread and for pages that nobody uses. Bun has no switch
 * for a compiled program, and the variable that it reads (`BUN_JSC_warmUpMarkedBlockStartAfterBlocks`) is one of those that
 * `hardened_runtime.ts` makes unreachable; so the default is changed where the machine code sets it.
 *
 * @module
 */

/**
 * `mov rax, imm64; mov [rip+…], rax`, the constant being the two options that stand side by side: 32 blocks kept ready,
 * from the 64th on.
 */
const DEFAULTS = [0x48, 0xb8, 32, 0, 0, 0, 64, 0, 0, 0, 0x48, 0x89, 0x05];
/** Where in it the second number stands. */
const START_AT = 6;
const NEVER = 0x7fff_ffff;

/**
 * Keeps the runtime, in place, from starting that thread. Answers whether it did: where the machine code is laid out in
 * another way (other processors, other versions) nothing is changed, and a small call takes a little longer.
 */
export function tuneRuntime(runtime: Buffer): boolean {
  const defaults = Buffer.from(DEFAULTS);
  const at = runtime.indexOf(defaults);
  if (at < 0 || runtime.indexOf(defaults, at + 1) >= 0) return false;
  runtime.writeUInt32LE(NEVER, at + START_AT);
  return true;
}
