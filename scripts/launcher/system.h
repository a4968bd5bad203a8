/* System calls without a library, the code that differs between processors, and texts. */

typedef unsigned long size;

#if defined __x86_64__

/* What the system tells of a file that is watched. */
typedef struct __attribute__((packed)) {
  unsigned events;
  size data;
} Event;

enum { READ = 0, WRITE = 1, CLOSE = 3, MMAP = 9, MUNMAP = 11, SIGACTION = 13, SIGPROCMASK = 14, IOCTL = 16 };
enum { GETPID = 39, CLONE = 56, EXECVE = 59, WAIT4 = 61, KILL = 62, FCNTL = 72, GETCWD = 79, CLOCK_GETTIME = 228 };
enum { EXIT_GROUP = 231, EPOLL_CTL = 233, OPENAT = 257, FACCESSAT = 269, PPOLL = 271, EPOLL_PWAIT = 281 };
enum { SETPGID = 109, GETPPID = 110, PRCTL = 157, SIGNALFD4 = 289, EPOLL_CREATE1 = 291, DUP3 = 292, PIPE2 = 293, PRLIMIT = 302, STATX = 332, CLOSE_RANGE = 436 };

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

static long call(long number, long a, long b, long c) {
  __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return number;
}

static long callLong(long number, long a, long b, long c, long d, long e) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = 0;
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

/* What the system tells of a file that is watched. */
typedef struct {
  unsigned events;
  size data;
} Event;

enum { GETCWD = 17, EPOLL_CREATE1 = 20, EPOLL_CTL = 21, EPOLL_PWAIT = 22, DUP3 = 24, FCNTL = 25, IOCTL = 29 };
enum { FACCESSAT = 48, OPENAT = 56, CLOSE = 57, PIPE2 = 59, READ = 63, WRITE = 64, PPOLL = 73, SIGNALFD4 = 74 };
enum { EXIT_GROUP = 94, CLOCK_GETTIME = 113, KILL = 129, SIGACTION = 134, SIGPROCMASK = 135, GETPID = 172, GETPPID = 173 };
enum { SETPGID = 154, PRCTL = 167, MUNMAP = 215, CLONE = 220, EXECVE = 221, MMAP = 222, WAIT4 = 260, PRLIMIT = 261, STATX = 291, CLOSE_RANGE = 436 };

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

static long call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}

static long callLong(long number, long a, long b, long c, long d, long e) {
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = 0;
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

enum { CLONE3 = 435, NOT_PERMITTED = -1 };
enum { PATH_BYTES = 4096, GET_FLAGS = 1, BAD_DESCRIPTOR = -9, CLOSE_ON_EXEC = 02000000, AT_FDCWD = -100 };
enum { SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGKILL = 9, SIGUSR2 = 12, SIGPIPE = 13, SIGALRM = 14, SIGTERM = 15 };
enum { SIGCHLD = 17, SIGTSTP = 20, SIGTTIN = 21, SIGTTOU = 22, SIGXFSZ = 25, IGNORED = 1 };

/* Reads the start of a file as text. Returns its length, 0 if there is none. */
static long readText(const char *path, char *text, long limit) {
  long file = call(OPENAT, AT_FDCWD, (long)path, CLOSE_ON_EXEC);
  if (file < 0) return 0;
  long length = call(READ, file, (long)text, limit - 1);
  call(CLOSE, file, 0, 0);
  if (length < 0) length = 0;
  text[length] = 0;
  return length;
}

static char *append(char *end, const char *text) {
  while (*text && *text != '\n') *end++ = *text++;
  *end = 0;
  return end;
}

static char *appendNumber(char *end, int number) {
  if (number > 9) end = appendNumber(end, number / 10);
  *end++ = '0' + number % 10;
  *end = 0;
  return end;
}

/* Whether `text` goes on with `part`; returns what follows. */
static const char *after(const char *text, const char *part) {
  while (*part)
    if (*text++ != *part++) return 0;
  return text;
}
