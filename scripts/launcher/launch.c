/*
 * Code that a Linux runtime runs before its own start, and instead of the C library's getcwd. `scripts/build-launcher`
 * compiles it into launch_code.ts; `add_launcher.ts` puts it into a copy of the runtime. It has no library and must
 * leave registers and stack as it found them.
 *
 * - With less memory or fewer descriptors than the runtime needs to start, sh runs without_runtime.sh instead, with the same words.
 * - A shell whose output is small needs no runtime (shell.h).
 * - In a removed directory, or one with too long a path, getcwd fails, and the runtime would end. /proc/self/cwd names
 *   that directory as well: a child starts in it, and a file in it is as missing as it is.
 * - Runtimes have no call that makes pipes, so two are ready at numbers that are rarely used. The first has a byte in it
 *   that says what the runtime hides from its program (ready_pipes.ts).
 * - The runtime would raise the limit of open files, and commands would inherit that.
 */

#include "system.h"

/*
 * Filled in by the build, as distances from here: the runtime's own start, the slot through which it calls getcwd, the
 * script, and, as plain numbers, the bytes of address space and of memory that it needs.
 */
extern const long offsets[5] __attribute__((visibility("hidden")));

enum { RLIMIT_STACK = 3, STACK_BYTES = 256 << 10, READ_WRITE = 3, PRIVATE_ANONYMOUS_NORESERVE = 0x4022 };

/* Whether so many numbers are free below the limit of open files. The runtime cannot start if it does not learn that. */
static int hasFreeFiles(void) {
  enum { RLIMIT_NOFILE = 7, NEEDED_FILES = 12 };
  size limit[2];
  if (callLong(PRLIMIT, 0, RLIMIT_NOFILE, 0, (long)limit, 0) != 0) return 0;
  int free = 0;
  for (size at = 0; at < limit[0] && free < NEEDED_FILES; at++)
    free += call(FCNTL, at, GET_FLAGS, 0) == BAD_DESCRIPTOR;
  return free == NEEDED_FILES;
}

/* Whether the control group at `group`, below `mount`, or one above it limits memory to less than is needed. */
static int isTight(const char *mount, const char *group, const char *file) {
  char path[PATH_BYTES + 64], text[32];
  char *start = append(path, mount), *end = append(start, group);
  for (;;) {
    if (end[-1] == '/') end--;
    append(append(end, "/"), file);
    if (readText(path, text, sizeof text) && text[0] >= '0' && text[0] <= '9') {
      long bytes = 0;
      for (char *digit = text; *digit >= '0' && *digit <= '9' && bytes < 1L << 50; digit++)
        bytes = bytes * 10 + *digit - '0';
      if (bytes < offsets[4]) return 1;
    }
    if (end <= start) return 0;
    while (end > start && *--end != '/')
      ;
  }
}

static int isGroupTight(void) {
  char groups[PATH_BYTES];
  readText("/proc/self/cgroup", groups, sizeof groups);
  for (const char *line = groups; *line;) {
    const char *group = after(line, "0::");
    if (group && isTight("/sys/fs/cgroup", group, "memory.max")) return 1;
    while (*line && *line != ':') line++;
    group = after(line, ":memory:");
    if (group && isTight("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes")) return 1;
    while (*line && *line++ != '\n')
      ;
  }
  return 0;
}

static int canStart(void) {
  size stack[2];
  long room = callLong(MMAP, 0, offsets[3], READ_WRITE, PRIVATE_ANONYMOUS_NORESERVE, -1);
  if (room < 0 && room > -PATH_BYTES) return 0;
  call(MUNMAP, room, offsets[3], 0);
  if (callLong(PRLIMIT, 0, RLIMIT_STACK, 0, (long)stack, 0) == 0 && stack[0] < STACK_BYTES) return 0;
  return hasFreeFiles() && !isGroupTight();
}

static int isIgnored(int signal) {
  long action[4];
  return callLong(SIGACTION, signal, 0, (long)action, sizeof(long), 0) == 0 && action[0] == IGNORED;
}

/* Bits 0 to 2: closed streams, which the runtime opens. Bits 3 and 4: ignored signals that it ignores in any case. */
static char startState(void) {
  char state = 0;
  for (int stream = 0; stream < 3; stream++)
    if (call(FCNTL, stream, GET_FLAGS, 0) == BAD_DESCRIPTOR) state |= 1 << stream;
  for (int at = 0; at < 2; at++)
    if (isIgnored(at ? SIGXFSZ : SIGPIPE)) state |= 8 << at;
  return state;
}

#include "shell.h"

/* Makes two pipes with descriptors from READY_PIPES on, unless one of these is in use or above the limit. */
static void makePipes(void) {
  enum { READY_PIPES = 200 };
  char state = startState();
  for (int at = 0; at < 4; at++)
    if (call(FCNTL, READY_PIPES + at, GET_FLAGS, 0) != BAD_DESCRIPTOR) return;
  for (int at = 2; at >= 0; at -= 2) {
    int ends[2];
    if (call(PIPE2, (long)ends, CLOSE_ON_EXEC, 0) < 0) return;
    /* The higher one first: if the limit allows it, it allows the others. */
    if (call(DUP3, ends[1], READY_PIPES + at + 1, CLOSE_ON_EXEC) >= 0)
      call(DUP3, ends[0], READY_PIPES + at, CLOSE_ON_EXEC);
    else
      at = 0;
    call(CLOSE, ends[0], 0, 0);
    call(CLOSE, ends[1], 0, 0);
  }
  call(WRITE, READY_PIPES + 1, (long)&state, 1);
}

/* `stack` is as the system passes it: the number of words, the words, NULL, the environment. */
__attribute__((used)) void launch(long *stack) {
  long count = stack[0];
  char **words = (char **)stack + 1;
  if (canStart()) {
    int isIgnoring = isIgnored(SIGCHLD);
    /* The end of a child would not be known. */
    if (isIgnoring) setAction(SIGCHLD, 0);
    runShell(words, words + count + 1, isIgnoring);
    makePipes();
    return;
  }
  char *sh[count + 4];
  sh[0] = "sh";
  sh[1] = "-c";
  sh[2] = (char *)offsets + offsets[2];
  for (long at = 0; at <= count; at++) sh[3 + at] = words[at];
  call(EXECVE, (long)"/bin/sh", (long)sh, (long)(words + count + 1));
}

__attribute__((used)) char *currentDirectory(char *buffer, size length) {
  static const char SELF[] = "/proc/self/cwd";
  char *found = callThrough((void **)((char *)offsets + offsets[1]), buffer, length);
  if (found || !buffer || length < sizeof SELF) return found;
  if (call(GETCWD, (long)buffer, (long)length, 0) > 0) return 0;
  append(buffer, SELF);
  return buffer;
}

__attribute__((used)) int keepLimit(void) { return 0; }
