/** Loads what prepares content for a read, which a read of plain content does without. */
export async function loadPreparing(): Promise<typeof import("./prepare_slice.ts")> {
  return await import("./prepare_slice.ts");
}
