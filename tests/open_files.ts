/**
 * Lists the open files of this process, so that a test can check that none was left open.
 */

/** The files under `directory` that are open, removed ones too, in order. Only on Linux; elsewhere none is seen. */
export function openFiles(directory: string): string[] {
  if (Deno.build.os !== "linux") return [];
  const open = [...Deno.readDirSync("/proc/self/fd")].flatMap(({ name }) => {
    try {
      return [Deno.readLinkSync(`/proc/self/fd/${name}`)];
    } catch (thrown) {
      // The descriptor that lists this directory is gone by now.
      if (thrown instanceof Deno.errors.NotFound) return [];
      throw thrown;
    }
  });
  return open.filter((path) => path.startsWith(`${directory}/`)).sort();
}
