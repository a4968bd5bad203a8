/**
 * Once the runtime has allocated 64 blocks of 16 KiB for its heap, it starts a thread that makes the pages of the next 32
 * resident. A small call needs about 70 blocks, and ends before the thread is of use: starting it takes a twelfth of the
 * call's processor time. So fdtool is compiled onto a copy of the runtime that waits for more blocks.
 */

/** 16 MiB. A call that needs more takes longer than a thread does to start. */
const BLOCKS_BEFORE_THREAD = 1024;

/**
 * Overwrites, in place, the number of blocks in the code of an x86-64 runtime that sets its options; the one for arm64 stays as
 * it is. Returns whether that code was found.
 */
export function delayHeapThread(runtime: Buffer): boolean {
  // `mov rax, imm64` of two options: 32 blocks ready, after 64. The next one is 10 seconds without a request.
  const options = Buffer.from("48b82000000040000000488905", "hex");
  const idleSeconds = Buffer.from("48b80000000000002440", "hex");
  const addressBytes = 4;
  for (let at = runtime.indexOf(options); at >= 0; at = runtime.indexOf(options, at + 1)) {
    const next = at + options.length + addressBytes;
    if (!runtime.subarray(next, next + idleSeconds.length).equals(idleSeconds)) continue;
    runtime.writeUInt32LE(BLOCKS_BEFORE_THREAD, at + 6);
    return true;
  }
  return false;
}
