/**
 * Runs jq in this process: input comes from an iterable, output goes to a function, both piece by piece, so that JSON
 * lines of any size need no more memory than one value.
 *
 * jq's module expects the functions of Emscripten's C library under one-letter names, which change with each build of
 * the package. `run_jq_test.ts` compares {@link IMPORTS} with the names in the package's own JavaScript.
 */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { joinBytes } from "../../../fd/system.ts";
import { breakDownTime, readTime, secondsOf, TM_WORDS, YearOverflow, ZONE } from "./jq_clock.ts";

/** A run of jq: its arguments and input, and where its output goes. */
interface JqRun {
  /** The words after `jq`. */
  args: readonly string[];
  /** Stdin. A chunk is used before the next one is taken. */
  input: Iterable<Uint8Array>;
  /** The time that `now` gives, in milliseconds since 1970. */
  nowMs: number;
  /** The most memory for it. */
  memoryBytes: number;
  /** Takes output; `bytes` is valid during the call. Throwing {@link StopJq} ends the run. */
  output(bytes: Uint8Array): void;
  /** Takes messages, as jq writes them to stderr. */
  message(bytes: Uint8Array): void;
}

/** Thrown by `output` to end a run. */
export class StopJq extends Error {}

/** How a run ended: jq's exit code, or that it was stopped, or that memory or the stack was too small. */
export type JqEnd =
  | { kind: "exited"; code: number }
  | { kind: "stopped" | "out_of_memory" | "too_deep" };

/** The names of the imported functions that jq needs, in jq-wasm 3.0.0-jq-1.8.2. */
export const IMPORTS = {
  b: "exit",
  c: "fd_close",
  d: "fd_write",
  g: "emscripten_date_now",
  h: "fd_read",
  j: "environ_get",
  k: "emscripten_resize_heap",
  l: "environ_sizes_get",
  p: "proc_exit",
  r: "_gmtime_js",
  s: "_localtime_js",
  t: "_mktime_js",
  u: "_timegm_js",
  w: "strptime",
  x: "fd_seek",
  y: "fd_fdstat_get",
  z: "random_get",
  E: "_abort_js",
} as const;

/** The names of exported ones: memory, initialisation, main, and the stack's: set its top, make room, get its top. */
export const EXPORTS = { memory: "F", start: "G", main: "H", setTop: "J", allocate: "K", top: "L" } as const;

type Name = typeof IMPORTS[keyof typeof IMPORTS];

/** Error numbers of WASI and, negated, of Emscripten's system calls. */
const BADF = 8;
const SPIPE = 70;
const NO_SYSTEM_CALL = -52;

const PAGE_BYTES = 65_536;
/** More than the runtime's own stack allows, which ends a run cleanly. */
const STACK_BYTES = 64 * 1024 * 1024;
const MAX_GROWTH_BYTES = 96 * 1024 * 1024;
const STDOUT = 1;

/** jq's exit code for a filter that failed, and its message, which its C library in WebAssembly cannot cause. */
const FAILED = 5;
const NO_SUCH_TIME = "jq: error (at <unknown>): error converting number of seconds since epoch to datetime\n";

class Exit extends Error {
  constructor(readonly code: number) {
    super("jq exited");
  }
}

class OutOfMemory extends Error {}

/** Runs jq to its end. What `input` and `output` throw, other than {@link StopJq}, is thrown on. */
export function runJq(run: JqRun): JqEnd {
  const process = new JqProcess(run);
  try {
    return { kind: "exited", code: process.main(run.args) };
  } catch (thrown) {
    if (thrown instanceof Exit) {
      return process.isMemoryShort ? { kind: "out_of_memory" } : { kind: "exited", code: thrown.code };
    }
    if (thrown instanceof StopJq) return { kind: "stopped" };
    if (thrown instanceof YearOverflow) {
      run.message(new TextEncoder().encode(NO_SUCH_TIME));
      return { kind: "exited", code: FAILED };
    }
    if (thrown instanceof OutOfMemory) return { kind: "out_of_memory" };
    // WebAssembly itself failed: no stack left, or an instruction that cannot be executed.
    const isOfModule = thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError;
    if (isOfModule) return { kind: process.isMemoryShort ? "out_of_memory" : "too_deep" };
    throw thrown;
  } finally {
    process.source.return?.();
  }
}

/** A run of jq: its module, its memory, and the input that it has not read yet. */
class JqProcess {
  readonly source: Iterator<Uint8Array>;
  isMemoryShort = false;
  private pending: Uint8Array = new Uint8Array(0);
  /** Address of the name of the time zone. */
  private zone = 0;
  private readonly exports: WebAssembly.Exports;
  private readonly memory: WebAssembly.Memory;

  constructor(private readonly run: JqRun) {
    this.source = run.input[Symbol.iterator]();
    const module = new WebAssembly.Module(jqWasm(Math.floor(run.memoryBytes / PAGE_BYTES)));
    const imports = new Map<string, (...values: number[]) => number | bigint | void>(
      WebAssembly.Module.imports(module).map(({ name }) => [name, () => NO_SYSTEM_CALL]),
    );
    const functions = { ...this.wasiFunctions(), ...this.clockFunctions() };
    for (const [letter, name] of Object.entries(IMPORTS)) imports.set(letter, functions[name]);
    const { exports } = new WebAssembly.Instance(module, { a: Object.fromEntries(imports) });
    this.exports = exports;
    this.memory = memoryOf(exports);
  }

  /** Runs jq's main function; returns its exit code. */
  main(args: readonly string[]): number {
    this.enlargeStack();
    this.call(EXPORTS.start);
    this.zone = this.stackText("UTC");
    const words = ["jq", ...args].map((word) => this.stackText(word));
    const list = this.allocate((words.length + 1) * 4);
    [...words, 0].forEach((at, i) => this.view().setUint32(list + i * 4, at, true));
    return this.call(EXPORTS.main, words.length, list);
  }

  /** Fills `into` with input; returns the number of bytes, 0 at its end. */
  private read(into: Uint8Array): number {
    while (this.pending.length === 0) {
      const { done, value } = this.source.next();
      if (done === true) return 0;
      this.pending = value;
    }
    const byteCount = Math.min(into.length, this.pending.length);
    into.set(this.pending.subarray(0, byteCount));
    this.pending = this.pending.subarray(byteCount);
    return byteCount;
  }

  private *buffers(list: number, count: number): Generator<Uint8Array> {
    for (let i = 0; i < count; i++) {
      const data = this.view();
      const [at, byteCount] = [0, 4].map((offset) => data.getUint32(list + i * 8 + offset, true));
      yield new Uint8Array(this.memory.buffer, at, byteCount);
    }
  }

  private textAt(at: number): string {
    const bytes = new Uint8Array(this.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  private grow(wantedBytes: number): number {
    const haveBytes = this.memory.buffer.byteLength;
    const roomyBytes = Math.min(haveBytes * 1.2, haveBytes + MAX_GROWTH_BYTES, this.run.memoryBytes);
    for (const bytes of [Math.max(wantedBytes >>> 0, roomyBytes), wantedBytes >>> 0]) {
      try {
        this.memory.grow(Math.ceil((bytes - haveBytes) / PAGE_BYTES));
        return 1;
      } catch (thrown) {
        if (!(thrown instanceof RangeError)) throw thrown;
      }
    }
    this.isMemoryShort = true;
    return 0;
  }

  /** Memory moves as it grows, so a view serves once. */
  private view(): DataView {
    return new DataView(this.memory.buffer);
  }

  private wasiFunctions() {
    const exit = (code: number | undefined): never => {
      throw new Exit(code!);
    };
    return {
      exit,
      proc_exit: exit,
      _abort_js: () => {
        throw new OutOfMemory();
      },
      fd_read: (_file, list, count, result) => {
        let byteCount = 0;
        for (const buffer of this.buffers(list!, count!)) {
          const taken = this.read(buffer);
          byteCount += taken;
          if (taken < buffer.length) break;
        }
        this.view().setUint32(result!, byteCount, true);
        return 0;
      },
      fd_write: (file, list, count, result) => {
        let byteCount = 0;
        for (const buffer of this.buffers(list!, count!)) {
          if (buffer.length > 0) (file === STDOUT ? this.run.output : this.run.message)(buffer);
          byteCount += buffer.length;
        }
        this.view().setUint32(result!, byteCount, true);
        return 0;
      },
      fd_close: () => 0,
      fd_seek: () => SPIPE,
      fd_fdstat_get: () => BADF,
      environ_get: () => 0,
      environ_sizes_get: (count, size) => {
        this.view().setUint32(count!, 0, true);
        this.view().setUint32(size!, 0, true);
        return 0;
      },
      random_get: (at, byteCount) => {
        crypto.getRandomValues(new Uint8Array(this.memory.buffer, at, byteCount));
        return 0;
      },
      emscripten_resize_heap: (byteCount) => this.grow(byteCount!),
    } satisfies Functions;
  }

  private clockFunctions() {
    return {
      emscripten_date_now: () => this.run.nowMs,
      _gmtime_js: (seconds, tm) => breakDownTime(BigInt(seconds!), this.timeAt(tm!)),
      _localtime_js: (seconds, tm) => breakDownTime(BigInt(seconds!), this.timeAt(tm!)),
      _mktime_js: (tm) => secondsOf(this.timeAt(tm!)),
      _timegm_js: (tm) => secondsOf(this.timeAt(tm!)),
      strptime: (text, format, tm) => {
        const bytes = new TextEncoder();
        const whole = this.textAt(text!);
        const taken = readTime(whole, this.textAt(format!), this.timeAt(tm!));
        return taken === undefined ? 0 : text! + bytes.encode(whole.slice(0, taken)).length;
      },
    } satisfies Functions;
  }

  private timeAt(at: number): Int32Array {
    const tm = new Int32Array(this.memory.buffer, at, TM_WORDS);
    tm[ZONE] = this.zone;
    return tm;
  }

  private call(name: string, ...values: number[]): number {
    const target = this.exports[name];
    if (typeof target !== "function") throw new Error(`jq's module exports no ${name}`);
    return target(...values);
  }

  private allocate(byteCount: number): number {
    return this.call(EXPORTS.allocate, byteCount + 15 & ~15);
  }

  private stackText(text: string): number {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const at = this.allocate(bytes.length);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return at;
  }

  /**
   * Moves jq's stack, of 1 MiB, to a larger one. Each level of a value that is written takes 1.2 kB of it, and below the old
   * one is data, which it would overwrite. The heap starts where the stack does, at the only word with that address.
   */
  private enlargeStack(): void {
    const oldTop = this.call(EXPORTS.top);
    const top = oldTop + STACK_BYTES;
    this.memory.grow(STACK_BYTES / PAGE_BYTES);
    const words = new Uint32Array(this.memory.buffer, 0, oldTop / 4);
    const heapStart = words.indexOf(oldTop);
    if (heapStart < 0) throw new Error("jq's module does not say where its heap starts");
    words[heapStart] = top;
    this.call(EXPORTS.setTop, top);
  }
}

/** Functions that jq's module imports. */
type Functions = Partial<Record<Name, (...values: number[]) => number | bigint | void>>;

function memoryOf(exports: WebAssembly.Exports): WebAssembly.Memory {
  const memory = exports[EXPORTS.memory];
  if (!(memory instanceof WebAssembly.Memory)) throw new Error("jq's module exports no memory");
  return memory;
}

/** The file that scripts/build embeds next to the program, compressed. */
const EMBEDDED = "jq.wasm.br";
/** The places where npm installs it, seen from this file, and from the bundle of the source in dist/source. */
const INSTALLED = ["../../../", "../../"].map((up) => `${up}node_modules/jq-wasm/dist/build/jq.wasm`);

/** How the module says what memory it has: one, of at least 256 pages, and at most 4,096. */
const MEMORY = [5, 6, 1, 1, 0x80, 0x02, 0x80, 0x20];
/**
 * Reads jq's code: jq 1.8.2 as WebAssembly, from the npm package jq-wasm. Only its `.wasm` file is used. The package's own
 * JavaScript holds all input and output in memory and allows jq 256 MiB; here jq reads and writes piece by piece, and may
 * use as much memory as its caller allows.
 */
function jqWasm(mostPages: number): Uint8Array<ArrayBuffer> {
  const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const bytes = existsSync(beside(EMBEDDED))
    ? brotliDecompressSync(readFileSync(beside(EMBEDDED)))
    : readFileSync(INSTALLED.map(beside).find((path) => existsSync(path)) ?? beside(INSTALLED[0]!));
  return withMostMemory(bytes, mostPages);
}

/** Returns a module like `wasm` whose memory may grow to `mostPages`. */
function withMostMemory(wasm: Buffer, mostPages: number): Uint8Array<ArrayBuffer> {
  const at = wasm.indexOf(Uint8Array.from(MEMORY));
  if (at < 0) throw new Error("jq's module has another memory");
  // As a number of five bytes with seven bits each, of which all but the last say that another follows.
  const most = [0, 7, 14, 21, 28].map((shift) => mostPages >>> shift & 0x7f | (shift < 28 ? 0x80 : 0));
  const memory = Uint8Array.of(5, 9, ...MEMORY.slice(2, 6), ...most);
  return joinBytes([wasm.subarray(0, at), memory, wasm.subarray(at + MEMORY.length)]);
}
