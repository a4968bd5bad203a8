/**
 * Node modules that a small call does not need. Loading one costs 1/40 of such a call, so they are loaded on
 * first use; the runtime caches them.
 */

let buffer: typeof import("node:buffer") | undefined;

/** It is asked for with each text that is made of bytes: 2 µs of the runtime each time. */
export function nodeBuffer(): typeof import("node:buffer") {
  return buffer ??= process.getBuiltinModule("node:buffer");
}

/** Node 22.15 was the first to have zstd. */
export function nodeZlib(): Partial<typeof import("node:zlib")> {
  return process.getBuiltinModule("node:zlib");
}

export function nodePath(): typeof import("node:path") {
  return process.getBuiltinModule("node:path");
}

export function nodeCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
