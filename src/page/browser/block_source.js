// Rows of a row list that are asked for in blocks as they come into view, and forgotten again.

const MAX_BLOCKS = 80;
const MAX_CALLS = 4;
/** After a failure, as when the server has ended, nothing is asked for that long. */
const PAUSE_MS = 2000;

/**
 * `load(first, count, signal)` returns rows and may return fewer at the end; `draw` shows one. `onload` is called when rows
 * have come.
 */
export function blockSource(blockRows, { load, draw, onload, onfailure }) {
  const blocks = new Map();
  const calls = new Map();
  let wanted = [];
  let pausedUntil = 0;

  const blockOf = (index) => Math.floor(index / blockRows);

  async function loadBlock(number) {
    const abort = new AbortController();
    calls.set(number, abort);
    try {
      const rows = await load(number * blockRows, blockRows, abort.signal);
      if (calls.get(number) !== abort) return;
      blocks.delete(number);
      blocks.set(number, { rows, isStale: false });
      for (const oldest of blocks.keys()) {
        if (blocks.size <= MAX_BLOCKS) break;
        blocks.delete(oldest);
      }
    } catch (thrown) {
      if (thrown.name !== "AbortError") {
        pausedUntil = performance.now() + PAUSE_MS;
        onfailure(thrown);
      }
    } finally {
      if (calls.get(number) === abort) calls.delete(number);
    }
    onload();
    loadWanted();
  }

  function loadWanted() {
    for (const number of wanted) {
      if (calls.size >= MAX_CALLS || performance.now() < pausedUntil) return;
      const isFresh = blocks.get(number)?.isStale === false;
      if (!isFresh && !calls.has(number)) void loadBlock(number);
    }
  }

  /** What has been scrolled past is not waited for. */
  function abortCalls(isNear) {
    for (const [number, abort] of calls) {
      if (isNear(number)) continue;
      abort.abort();
      calls.delete(number);
    }
  }

  const source = {
    count: 0,
    draw,
    row(index) {
      return blocks.get(blockOf(index))?.rows[index % blockRows];
    },
    /** Has ranges of rows loaded, `[from, to]` each, and then the blocks beside them. */
    want(ranges) {
      const inView = new Set(ranges.flatMap(([from, to]) => {
        const first = blockOf(from);
        return Array.from({ length: blockOf(Math.max(from, to - 1)) - first + 1 }, (_, at) => first + at);
      }));
      const beside = [Math.max(...inView) + 1, Math.min(...inView) - 1];
      const lastBlock = blockOf(Math.max(0, source.count - 1));
      wanted = [...inView, ...beside].filter((number) => number >= 0 && number <= lastBlock);
      abortCalls((number) => wanted.includes(number));
      loadWanted();
    },
    /** Takes the rows that were added. The last one may have grown. */
    grow(count) {
      if (count === source.count) return;
      const last = blocks.get(blockOf(Math.max(0, source.count - 1)));
      if (last !== undefined) last.isStale = true;
      source.count = count;
    },
    /** Has all rows loaded again. */
    forget() {
      abortCalls(() => false);
      blocks.clear();
    },
  };
  return source;
}
