/** How long bytes of a command's output may be held back, in the hope that the output ends: then they need one file. */
const HELD_MS = 20;

/** A watch over output that is held back. */
export interface PauseWatch {
  /** Calls back unless the watch ends soon. */
  expect(): void;
  end(): void;
}

/** Starts a watch; `onPause` is called within 20 ms of each first `expect`. */
export function watchPauses(onPause: () => void): PauseWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    expect() {
      timer ??= setTimeout(() => {
        timer = undefined;
        onPause();
      }, HELD_MS);
    },
    end: () => clearTimeout(timer),
  };
}
