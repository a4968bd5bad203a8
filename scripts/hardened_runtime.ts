/**
 * A compiled program is the runtime with the program in it, and the runtime obeys the environment it is started in:
 * `BUN_BE_BUN=1` turns any compiled program back into Bun, `BUN_OPTIONS` preloads foreign code, `BUN_INSPECT` opens a
 * debugger, others write files or print. There is no switch that turns this off. So fdtool is compiled onto a copy of
 * the runtime in which those names cannot be reached.
 *
 * A name is made unreachable by overwriting its first byte with NUL: as a C string it is then empty, and `getenv("")`
 * finds nothing; as a string with a length it can equal no variable, since no variable's name holds a NUL. Two names
 * are not in the data but in the machine code, compared byte by byte or built from a constant; they are overwritten
 * there, where the code of that processor is known.
 */

/** The number of places overwritten in a runtime for each name. */
export interface Hardening {
  /** Overwritten places by name; `BUN_*` counts all names that begin so. */
  places: Readonly<Record<string, number>>;
  /** Names that are still reachable, because the layout of this runtime's machine code is unknown. */
  reachable: readonly string[];
}

/**
 * Names outside `BUN_*` that make the runtime open a channel, write a file, accept any certificate or change how it
 * runs. Names of certificates, proxies and colours are left: a shared store may need the first two, and colour is the
 * caller's wish.
 */
const OTHER_NAMES = [
  "NODE_CHANNEL_FD",
  "NODE_REDIRECT_WARNINGS",
  "NODE_COMPILE_CACHE",
  "NODE_PENDING_DEPRECATION",
  "NODE_PRESERVE_SYMLINKS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "JSC_PROFILER_PATH",
  "JSC_SIGNAL_FOR_GC",
  "UV_THREADPOOL_SIZE",
];

/** Without these the copy would be no safer than the original, so a runtime that lacks them is one we do not know. */
const NEEDED = ["BUN_BE_BUN", "BUN_OPTIONS", "BUN_INSPECT", "BUN_INSPECT_PRELOAD", "BUN_INSPECT_CONNECT_TO"];

/**
 * Characters before a name in script source and in messages, never before a name that is looked up: the
 * runtime's own scripts must stay as they are.
 */
const IN_TEXT = new Set([...".\"'`([{,! $"].map((char) => char.charCodeAt(0)));

/** Overwrites, in place, every name that the runtime must not find in its environment. Throws when it knows too few. */
export function hardenRuntime(runtime: Buffer): Hardening {
  for (const name of NEEDED) {
    if (runtime.indexOf(name) < 0) {
      throw new Error(`this runtime does not know ${name}: look again at what it obeys`);
    }
  }
  const places: Record<string, number> = {};
  for (const name of ["BUN_*", ...OTHER_NAMES]) {
    const start = name.replace("*", "");
    places[name] = 0;
    for (let at = runtime.indexOf(start); at >= 0; at = runtime.indexOf(start, at + 1)) {
      const isName = start === name || isUpperCase(runtime[at + start.length]);
      if (!isName || IN_TEXT.has(runtime[at - 1] ?? 0)) continue;
      runtime[at] = 0;
      places[name]++;
    }
  }
  for (const [name, overwrite] of Object.entries(IN_CODE)) places[name] = overwrite(runtime);
  return { places, reachable: Object.keys(IN_CODE).filter((name) => places[name] === 0) };
}

/** Names in machine code instead of data; each function overwrites its places and returns their number. */
const IN_CODE: Readonly<Record<string, (runtime: Buffer) => number>> = {
  "BUN_JSC_*": (runtime) => contradictOnX64(runtime, "BUN_JSC_") + contradictOnArm64(runtime, "BUN_JSC_"),
  "mimalloc_*": (runtime) => spoilConstant(runtime, "mimalloc"),
};

/**
 * x86-64 compares a prefix as `cmp byte [r+0], 'B'; jne …; cmp byte [r+1], 'U'; jne …` and so on. Making the second
 * comparison look at byte 0 again, which cannot be two letters at once, makes the whole prefix match nothing.
 */
function contradictOnX64(runtime: Buffer, prefix: string): number {
  const codes = [...prefix].map((char) => char.charCodeAt(0));
  let found = 0;
  // The comparison of the second letter: opcode 80 /7, displacement 1, the letter; then the jump.
  const second = Buffer.from([0x01, codes[1] ?? 0, 0x75]);
  for (let at = runtime.indexOf(second); at >= 0; at = runtime.indexOf(second, at + 1)) {
    let from = at;
    let whole = isCompareWithDisplacement(runtime, from);
    for (let letter = 2; whole && letter < codes.length; letter++) {
      const next = runtime.indexOf(Buffer.from([letter, codes[letter] ?? 0]), from + 2);
      whole = next > 0 && next - from < 16 && isCompareWithDisplacement(runtime, next);
      from = next;
    }
    if (!whole) continue;
    runtime[at] = 0;
    found++;
  }
  return found;
}

/** Whether the byte at `at` is the displacement of `cmp byte [register + displacement], letter`. */
function isCompareWithDisplacement(runtime: Buffer, at: number): boolean {
  const modRm = runtime[at - 1] ?? 0;
  return runtime[at - 2] === 0x80 && modRm >= 0x78 && modRm <= 0x7f;
}

/**
 * arm64 compares it as `ldrb w, [x, #0]; cmp w, #'B'; b.ne …; ldrb w, [x, #1]; cmp w, #'U'; b.ne …` and so on. The
 * second load is made to load byte 0 again, to the same end.
 */
function contradictOnArm64(runtime: Buffer, prefix: string): number {
  const codes = [...prefix].map((char) => char.charCodeAt(0));
  const triple = 12;
  let found = 0;
  // The upper half of `cmp w, #letter`, for letters from 0x40 to 0x7f: enough to find candidates quickly.
  const compare = Buffer.from([0x01, 0x71]);
  for (let at = runtime.indexOf(compare); at >= 0; at = runtime.indexOf(compare, at + 1)) {
    const load = at + 2 - 8;
    if (load < 0 || load % 4 !== 0 || load + triple * (codes.length - 1) > runtime.length) continue;
    const whole = codes.slice(1).every((code, i) =>
      isLoadAndCompare(runtime, load + triple * i, i + 1, code)
    );
    if (!whole) continue;
    runtime.writeUInt32LE(runtime.readUInt32LE(load) - (1 << 10), load);
    found++;
  }
  return found;
}

/** Whether `ldrb w, [x, #byteOffset]; cmp w, #code` is at `at`. */
function isLoadAndCompare(runtime: Buffer, at: number, byteOffset: number, code: number): boolean {
  const load = runtime.readUInt32LE(at);
  const compare = runtime.readUInt32LE(at + 4);
  const register = load & 0x1f;
  return (load & 0xfffffc00) === (0x39400000 | (byteOffset << 10)) &&
    compare === (0x7100001f | (code << 10) | (register << 5));
}

/**
 * Eight letters that code builds a name of: x86-64 has them in `mov r64, imm64`, arm64 in a table of eight-byte
 * constants. A control character in them makes a name that is never set.
 */
function spoilConstant(runtime: Buffer, eightLetters: string): number {
  const constant = Buffer.from(eightLetters, "latin1");
  let found = 0;
  for (let at = runtime.indexOf(constant); at >= 0; at = runtime.indexOf(constant, at + 1)) {
    const [rex = 0, opcode = 0] = runtime.subarray(at - 2, at);
    const next = runtime[at + constant.length] ?? 0;
    const isImmediate = (rex === 0x48 || rex === 0x49) && opcode >= 0xb8 && opcode <= 0xbf;
    const isConstant = at % 8 === 0 && next > 0 && next < 0x20;
    if (!isImmediate && !isConstant) continue;
    runtime[at + constant.length - 1] = 0x01;
    found++;
  }
  return found;
}

function isUpperCase(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x41 && byte <= 0x5a;
}
