/** Called often by long work: how many bytes are done and, as far as that is known, of how many. Must not throw. */
export type OnProgress = (doneBytes: number, totalBytes?: () => number | undefined) => void;
