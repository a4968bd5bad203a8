/*
 * Code that a Linux runtime runs before its own start, and instead of the C library's getcwd. `scripts/build-launcher`
 * compiles it into launch_code.ts; `add_launcher.ts` puts it into a copy of the runtime. It has no library and must
 * leave registers and stack as it found them.
 *
 * - With less memory or fewer descriptors than the runtime needs to start, sh runs without_runtime.sh instead, with the same words.
 * - In a removed directory, or one with too long a path, getcwd fails, and the runtime would end. /proc/self/cwd names
 *   that directory as well: a child starts in it, and a file in it is as missing as it is.
 * - Runtimes have no call that makes pipes, so two are ready at numbers that are rarely used. The first has a byte in it
 *   that says what the runtime hides from its program (ready_pipes.ts).
 * - The runtime would raise the limit of open files, and commands would inherit that.
 */

typedef unsigned long size;

#if defined __x86_64__

enum { READ = 0, WRITE = 1, CLOSE = 3, MMAP = 9, MUNMAP = 11, SIGACTION = 13, EXECVE = 59, FCNTL = 72, GETCWD = 79 };
enum { OPENAT = 257, DUP3 = 292, PIPE2 = 293, PRLIMIT = 302 };

__asm__(
    ".section .text.start\n"
    ".globl offsets, start\n"
    "offsets: .quad 0, 0, 0, 0, 0\n"
    /* The dynamic linker's rdx is for the runtime's own start. */
    "start: push %rdx\n"
    "lea 8(%rsp), %rdi\n"
    "sub $8, %rsp\n"
    "call launch\n"
    "add $8, %rsp\n"
    "pop %rdx\n"
    "lea offsets(%rip), %rax\n"
    "add (%rax), %rax\n"
    "jmp *%rax\n"
    ".text\n");

static long call(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return number;
}

static char *callThrough(void **slot, char *buffer, size length) {
  return ((char *(*)(char *, size))*slot)(buffer, length);
}

#elif defined __aarch64__

enum { GETCWD = 17, DUP3 = 24, FCNTL = 25, OPENAT = 56, CLOSE = 57, PIPE2 = 59, READ = 63, WRITE = 64 };
enum { SIGACTION = 134, MUNMAP = 215, EXECVE = 221, MMAP = 222, PRLIMIT = 261 };

__asm__(
    ".section .text.start\n"
    ".globl offsets, start\n"
    "offsets: .quad 0, 0, 0, 0, 0\n"
    /* The dynamic linker's x0 is for the runtime's own start. */
    "start: mov x19, x0\n"
    "mov x0, sp\n"
    "bl launch\n"
    "mov x0, x19\n"
    "adr x16, offsets\n"
    "ldr x17, [x16]\n"
    "add x16, x16, x17\n"
    "br x16\n"
    ".text\n");

static long call(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}

/* While the slot is not bound yet, the dynamic linker knows the function by x16. */
static char *callThrough(void **slot, char *buffer, size length) {
  register void **x16 __asm__("x16") = slot;
  register long x0 __asm__("x0") = (long)buffer;
  register long x1 __asm__("x1") = (long)length;
  __asm__ volatile("ldr x17, [x16]\n\tblr x17"
                   : "+r"(x0), "+r"(x1), "+r"(x16)
                   :
                   : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                     "x17", "x18", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
                     "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
                     "cc", "memory");
  return (char *)x0;
}

#endif

/*
 * Filled in by the build, as distances from here: the runtime's own start, the slot through which it calls getcwd, the
 * script, and, as plain numbers, the bytes of address space and of memory that it needs.
 */
extern const long offsets[5] __attribute__((visibility("hidden")));

enum { RLIMIT_STACK = 3, STACK_BYTES = 256 << 10, PATH_BYTES = 4096 };
enum { GET_FLAGS = 1, BAD_DESCRIPTOR = -9 };
enum { READ_WRITE = 3, PRIVATE_ANONYMOUS_NORESERVE = 0x4022, CLOSE_ON_EXEC = 02000000, AT_FDCWD = -100 };

/* Reads the start of a file as text. Returns its length, 0 if there is none. */
static long readText(const char *path, char *text, long limit) {
  long file = call(OPENAT, AT_FDCWD, (long)path, CLOSE_ON_EXEC, 0, 0, 0);
  if (file < 0) return 0;
  long length = call(READ, file, (long)text, limit - 1, 0, 0, 0);
  call(CLOSE, file, 0, 0, 0, 0, 0);
  if (length < 0) length = 0;
  text[length] = 0;
  return length;
}

static char *append(char *end, const char *text) {
  while (*text && *text != '\n') *end++ = *text++;
  *end = 0;
  return end;
}

/* Whether so many numbers are free below the limit of open files. */
static int hasFreeFiles(void) {
  enum { RLIMIT_NOFILE = 7, NEEDED_FILES = 12 };
  size limit[2];
  if (call(PRLIMIT, 0, RLIMIT_NOFILE, 0, (long)limit, 0, 0) != 0) return 1;
  int free = 0;
  for (size at = 0; at < limit[0] && free < NEEDED_FILES; at++)
    free += call(FCNTL, at, GET_FLAGS, 0, 0, 0, 0) == BAD_DESCRIPTOR;
  return free == NEEDED_FILES;
}

/* Whether `text` goes on with `part`; returns what follows. */
static const char *after(const char *text, const char *part) {
  while (*part)
    if (*text++ != *part++) return 0;
  return text;
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
  long room = call(MMAP, 0, offsets[3], READ_WRITE, PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
  if (room < 0 && room > -PATH_BYTES) return 0;
  call(MUNMAP, room, offsets[3], 0, 0, 0, 0);
  if (call(PRLIMIT, 0, RLIMIT_STACK, 0, (long)stack, 0, 0) == 0 && stack[0] < STACK_BYTES) return 0;
  return hasFreeFiles() && !isGroupTight();
}

/* Bits 0 to 2: closed streams, which the runtime opens. Bits 3 and 4: ignored signals that it ignores in any case. */
static char startState(void) {
  enum { PIPE = 13, XFSZ = 25, IGNORED = 1 };
  char state = 0;
  for (int stream = 0; stream < 3; stream++)
    if (call(FCNTL, stream, GET_FLAGS, 0, 0, 0, 0) == BAD_DESCRIPTOR) state |= 1 << stream;
  for (int at = 0; at < 2; at++) {
    long action[4];
    if (call(SIGACTION, at ? XFSZ : PIPE, 0, (long)action, sizeof(long), 0, 0) == 0 && action[0] == IGNORED)
      state |= 8 << at;
  }
  return state;
}

/* Makes two pipes with descriptors from READY_PIPES on, unless one of these is in use or above the limit. */
static void makePipes(void) {
  enum { READY_PIPES = 200 };
  char state = startState();
  for (int at = 0; at < 4; at++)
    if (call(FCNTL, READY_PIPES + at, GET_FLAGS, 0, 0, 0, 0) != BAD_DESCRIPTOR) return;
  for (int at = 2; at >= 0; at -= 2) {
    int ends[2];
    if (call(PIPE2, (long)ends, CLOSE_ON_EXEC, 0, 0, 0, 0) < 0) return;
    /* The higher one first: if the limit allows it, it allows the others. */
    if (call(DUP3, ends[1], READY_PIPES + at + 1, CLOSE_ON_EXEC, 0, 0, 0) >= 0)
      call(DUP3, ends[0], READY_PIPES + at, CLOSE_ON_EXEC, 0, 0, 0);
    else
      at = 0;
    call(CLOSE, ends[0], 0, 0, 0, 0, 0);
    call(CLOSE, ends[1], 0, 0, 0, 0, 0);
  }
  call(WRITE, READY_PIPES + 1, (long)&state, 1, 0, 0, 0);
}

/* `stack` is as the system passes it: the number of words, the words, NULL, the environment. */
__attribute__((used)) void launch(long *stack) {
  if (canStart()) {
    makePipes();
    return;
  }
  long count = stack[0];
  char **words = (char **)stack + 1;
  char *sh[count + 4];
  sh[0] = "sh";
  sh[1] = "-c";
  sh[2] = (char *)offsets + offsets[2];
  for (long at = 0; at <= count; at++) sh[3 + at] = words[at];
  call(EXECVE, (long)"/bin/sh", (long)sh, (long)(words + count + 1), 0, 0, 0);
}

__attribute__((used)) char *currentDirectory(char *buffer, size length) {
  static const char SELF[] = "/proc/self/cwd";
  char *found = callThrough((void **)((char *)offsets + offsets[1]), buffer, length);
  if (found || !buffer || length < sizeof SELF) return found;
  if (call(GETCWD, (long)buffer, (long)length, 0, 0, 0, 0) > 0) return 0;
  append(buffer, SELF);
  return buffer;
}

__attribute__((used)) int keepLimit(void) { return 0; }
