/**
 * Parts of Node that a small call does not need. To load one costs a fortieth of such a call, so they are loaded by
 * whoever meets what needs them, and kept by the runtime.
 *
 * @module
 */

/** `node:buffer`. */
export function nodeBuffer(): typeof import("node:buffer") {
  return process.getBuiltinModule("node:buffer");
}

/** `node:path`. */
export function nodePath(): typeof import("node:path") {
  return process.getBuiltinModule("node:path");
}
