/*
 * Runs `-c COMMAND` for the runtime while its output is small: what bash has written waits in pipes, and is passed on when
 * it has ended, and a `cat` passes on what processes in the background write later. If there is too much of it, or if it
 * pauses for a second, `fdtool shell` is started to take it from the pipes (started_shell.ts), and this process waits on.
 * For a line with a pipe that may be kept, it is started first, and says how bash is to be started.
 */

/* Of bytes, the threshold is at least as many chars. */
enum { SMALL_BYTES = 8000, QUIET_MS = 1000, SOON_MS = 20, MAX_RUNS = 1000, PIPE_BYTES = 16 << 10, MORE_VARIABLES = 3 };
/* The numbers from which on pipes are kept here, and those at which `fdtool shell` finds them. */
enum { OWN_FILES = 210, OUT_FILE = 200, ERR_FILE = 202, CONTROL_FILE = 204, ANSWER_FILE = 206 };
enum { DUPLICATE_FROM = 1030, PIPE_SIZE = 1032, BYTES_READY = 0x541b, GET_TERMINAL = 0x5401 };
enum { SIGNAL_AT_PARENTS_DEATH = 1, SET_STATUS = 4, NON_BLOCKING = 04000, NO_WAIT = 1, BROKEN_PIPE = -32, TRY_AGAIN = -11 };
enum { EVENT_IN = 1, EVENT_OUT = 4, EVENT_ERROR = 8, EVENT_HANGUP = 16, ADD_EVENT = 1, REMOVE_EVENT = 2, SHARED_ANONYMOUS = 0x21 };
#define EDGE (1u << 31)

/* Records for `fdtool shell`, each of three numbers; what they are is in started_shell.ts. */
enum { RUN = 1, STARTED, FLUSH, ENDED, UNREAD };
typedef int Record[3];

typedef struct {
  /* The environment has room for MORE_VARIABLES. */
  char **words, **env;
  long envCount;
  /* Signals that were blocked before, as a mask. */
  size mask;
  int pid, hasEnded, status, signals, events;
  /* `fdtool shell`, if it is started, and how it has ended, or -1; where records are written for it. */
  int store, storeStatus, control, isEndTold;
  /* A process in the same group, and the signals that it has got and this one has not taken yet. */
  int witness;
  size forGroup;
  /* The pipes of stdout and stderr: read ends, and bytes that are known to be in them. -1: none. */
  int pipes[2], seen[2];
  long startedMs, dueMs;
  /* How stdout and stderr took turns. */
  int runCount;
  Record runs[MAX_RUNS];
} Shell;

static long nowMs(void) {
  enum { MONOTONIC = 1 };
  long time[2];
  call(CLOCK_GETTIME, MONOTONIC, (long)time, 0);
  return time[0] * 1000 + time[1] / 1000000;
}

static size maskOf(int signal) { return 1ul << (signal - 1); }

/* The signals after which a harness kills. */
static size fatal(void) { return maskOf(SIGHUP) | maskOf(SIGINT) | maskOf(SIGALRM) | maskOf(SIGTERM); }

/* The signals that stop processes: they stop this one, too. */
static size stopping(void) { return maskOf(SIGTSTP) | maskOf(SIGTTIN) | maskOf(SIGTTOU); }

static void setMask(size mask, size *before) {
  enum { REPLACE = 2 };
  callLong(SIGPROCMASK, REPLACE, (long)&mask, (long)before, sizeof mask, 0);
}

static void setAction(int signal, long handler) {
  long action[4];
  action[0] = handler;
  action[1] = action[2] = action[3] = 0;
  callLong(SIGACTION, signal, (long)action, 0, sizeof(size), 0);
}

/* Whether two words are equal. */
static int isWord(const char *word, const char *other) {
  const char *rest = after(word, other);
  return rest && !*rest;
}

static int contains(const char *text, const char *part) {
  for (; *text; text++)
    if (after(text, part)) return 1;
  return 0;
}

/* Whether a text has a pipe in it, or may have. */
static int hasPipe(const char *text) {
  for (const char *at = text; *at; at++) {
    if (*at != '|') continue;
    if (at[1] == '|')
      at++;
    else if (at == text || at[-1] != '>')
      return 1;
  }
  return 0;
}

/* Whether a word is no pipe that may be kept (cut_functions.ts), and no call of fdtool, whose answers are not stored once more. */
static int isPlain(const char *word, char **env) {
  static const char cutters[] = "tail\0head\0grep\0rg\0sed\0awk\0cut\0sort\0";
  if (contains(word, "fdtool")) return 0;
  if (!hasPipe(word)) return 1;
  for (const char *name = cutters; *name; name++) {
    if (contains(word, name)) return 0;
    while (*name) name++;
  }
  for (; *env; env++)
    if (after(*env, "BASH_FUNC_")) return 0;
  return 1;
}

/* Whether a line is one simple call of fdtool, whose answer is not stored once more (own_call.ts). */
static int isOwnCall(const char *line) {
  if (!after(line, "fdtool ") || contains(line, "fork") || contains(line, "spawn")) return 0;
  for (; *line; line++)
    for (const char *special = "|&;<>(){}$`\\#\n*?[~!"; *special; special++)
      if (*line == *special) return 0;
  return 1;
}

/* What bash gets of the words of a call; 0 if the call is none of a shell, or one of other options. */
static char **wordsOfShell(char **words) {
  if (!words[0] || !words[1]) return 0;
  if (isWord(words[1], "shell")) words++;
  const char *option = words[1];
  if (!option || *option++ != '-') return 0;
  while (*option >= 'a' && *option <= 'z') option++;
  return *option || option[-1] != 'c' || !words[2] ? 0 : words;
}

/* The place of the command line among bash's words: after the options. */
static char **lineOf(char **bash) {
  char **line = bash + 2;
  while (line[1] && (**line == '-' || **line == '+')) line++;
  return line;
}

/* Bash takes the place of this process, unless that is impossible. */
static void becomeBash(const char *path, char **words, char **env, int isIgnoring) {
  char *name = words[0];
  if (isIgnoring) setAction(SIGCHLD, IGNORED);
  words[0] = "bash";
  call(EXECVE, (long)path, (long)words, (long)env);
  words[0] = name;
}

/* The value of a variable, or 0. */
static const char *variable(char **env, const char *name) {
  for (; *env; env++) {
    const char *value = after(*env, name);
    if (value && *value == '=') return value + 1;
  }
  return 0;
}

typedef struct {
  unsigned mask, blockSize;
  size attributes;
  unsigned links, uid, gid;
  unsigned short mode, unused[1];
  size inode, bytes, blocks, attributesMask, times[8];
  unsigned deviceOf[2], device[2];
  size more[14];
} File;

enum { FILE_TYPE = 0170000, REGULAR = 0100000, CHARACTERS = 0020000 };

/* Looks at the file that is open at a number or, with a path, has that. */
static int lookAt(int number, const char *path, File *file) {
  enum { EMPTY_PATH = 0x1000, BASIC = 0x7ff };
  return callLong(STATX, number, (long)path, *path ? 0 : EMPTY_PATH, BASIC, (long)file) == 0;
}

static int isDevice(const File *file) { return (file->mode & FILE_TYPE) == CHARACTERS; }

static int isSame(const File *one, const File *other) {
  return one->inode == other->inode && one->device[0] == other->device[0] && one->device[1] == other->device[1] &&
         one->deviceOf[0] == other->deviceOf[0] && one->deviceOf[1] == other->deviceOf[1];
}

/* Finds bash as execvp does, in a PATH of absolute directories. */
static int findBash(const char *directories, char *path) {
  enum { EXECUTABLE = 1 };
  File file;
  for (const char *at = directories; at && *at == '/'; at++) {
    char *end = path;
    while (*at && *at != ':') {
      if (end - path > PATH_BYTES - 8) return 0;
      *end++ = *at++;
    }
    append(end, "/bash");
    if (lookAt(AT_FDCWD, path, &file) && (file.mode & FILE_TYPE) == REGULAR &&
        call(FACCESSAT, AT_FDCWD, (long)path, EXECUTABLE) == 0)
      return 1;
    if (!*at) return 0;
  }
  return 0;
}

/*
 * Makes a pipe whose ends have high numbers and are closed in programs. Returns 0 if that is impossible, or if the system
 * does not say how much is in a pipe.
 */
static int makePipe(int ends[2]) {
  int ready;
  if (call(PIPE2, (long)ends, CLOSE_ON_EXEC, 0) < 0) return 0;
  for (int at = 0; at < 2; at++) {
    int low = ends[at];
    ends[at] = call(FCNTL, low, DUPLICATE_FROM, OWN_FILES);
    call(CLOSE, low, 0, 0);
  }
  return ends[0] >= 0 && ends[1] >= 0 && call(FCNTL, ends[0], PIPE_SIZE, 0) >= PIPE_BYTES &&
         call(IOCTL, ends[0], BYTES_READY, (long)&ready) == 0;
}

/* What a program is started for. */
enum { TO_RUN, TO_RUN_IGNORING, TO_STORE, TO_PASS_ON };

/*
 * Starts a program with `from[i]` open as number `to[i]`, up to one of -1. Returns its process id, or 0 if it cannot be
 * started. What stores ends with this process, and has a group of its own, as it is not to get the signals of this one's;
 * what passes on has no other files. Bash ignores the end of its children if this process did, until then.
 */
static int startProgram(const char *program, char **words, char **env, const int *from, const int *to, size mask,
                        int purpose) {
  enum { READ_WRITE_PAGE = 3, WAIT_FOR_EXEC = 0x4000 };
  int *hasFailed = (int *)callLong(MMAP, 0, sizeof(int), READ_WRITE_PAGE, SHARED_ANONYMOUS, -1);
  if ((long)hasFailed < 0 && (long)hasFailed > -PATH_BYTES) return 0;
  long pid = call(CLONE, WAIT_FOR_EXEC | SIGCHLD, 0, 0);
  if (pid == 0) {
    for (int at = 0; from[at] >= 0; at++) call(DUP3, from[at], to[at], 0);
    if (purpose == TO_STORE) {
      call(PRCTL, SIGNAL_AT_PARENTS_DEATH, SIGKILL, 0);
      call(SETPGID, 0, 0, 0);
      setAction(SIGUSR2, IGNORED);
    }
    if (purpose == TO_RUN_IGNORING) setAction(SIGCHLD, IGNORED);
    if (purpose == TO_PASS_ON) call(CLOSE_RANGE, 3, ~0u, 0);
    setMask(mask, 0);
    call(EXECVE, (long)program, (long)words, (long)env);
    *hasFailed = 1;
    call(EXIT_GROUP, 127, 0, 0);
  }
  int isStarted = pid > 0 && !*hasFailed;
  if (pid > 0 && !isStarted) callLong(WAIT4, pid, 0, 0, 0, 0);
  call(MUNMAP, (long)hasFailed, sizeof(int), 0);
  return isStarted ? pid : 0;
}

/* Ends this process as bash has ended. */
static void endLike(int status) {
  enum { RLIMIT_CORE = 4 };
  int signal = status & 0x7f;
  if (signal) {
    size none[2];
    none[0] = none[1] = 0;
    call(PRLIMIT, 0, RLIMIT_CORE, (long)none);
    setAction(signal, 0);
    setMask(~maskOf(signal), 0);
    call(KILL, call(GETPID, 0, 0, 0), signal, 0);
  }
  call(EXIT_GROUP, signal ? 128 + signal : status >> 8 & 0xff, 0, 0);
}

/* Waits until `events` come to a file, or `waitMs` are over; -1: for ever. Returns those that came. */
static int await(int file, int events, long waitMs) {
  struct {
    int file;
    short wanted, came;
  } poll = {file, (short)events, 0};
  long time[2];
  time[0] = waitMs / 1000;
  time[1] = waitMs % 1000 * 1000000;
  callLong(PPOLL, (long)&poll, 1, waitMs < 0 ? 0 : (long)time, 0, sizeof(size));
  return poll.came;
}

/* Starts a process in this one's group that does nothing, and to which signals stay pending as they are blocked here. */
static void startWitness(Shell *shell) {
  int parent = call(GETPID, 0, 0, 0);
  long pid = call(CLONE, SIGCHLD, 0, 0);
  shell->witness = pid > 0 ? pid : 0;
  if (pid != 0) return;
  call(PRCTL, SIGNAL_AT_PARENTS_DEATH, SIGKILL, 0);
  call(CLOSE_RANGE, 0, ~0u, 0);
  while (call(GETPPID, 0, 0, 0) == parent) callLong(PPOLL, 0, 0, 0, 0, 0);
  call(EXIT_GROUP, 0, 0, 0);
}

/* Ends a process, unless its id is 0 or the system forbids that: then it ends with this one. */
static void endProcess(int pid) {
  if (pid && call(KILL, pid, SIGKILL, 0) == 0) callLong(WAIT4, pid, 0, 0, 0, 0);
}

/* Whether a signal was sent to the whole group, so that bash has got it as well: then the witness has, too. */
static int wasForGroup(Shell *shell, int signal) {
  char path[32], text[PATH_BYTES];
  append(appendNumber(append(path, "/proc/"), shell->witness), "/status");
  /* These two are a terminal's. */
  if (!shell->witness || !readText(path, text, sizeof text)) return signal == SIGINT || signal == SIGQUIT;
  const char *digit = 0;
  for (const char *at = text; *at && !digit; at++) digit = after(at, "ShdPnd:\t");
  size pending = 0;
  for (; digit && *digit > ' '; digit++) pending = pending * 16 + (*digit & 15) + (*digit > '9' ? 9 : 0);
  if (pending) {
    endProcess(shell->witness);
    startWitness(shell);
  }
  shell->forGroup |= pending;
  int was = (shell->forGroup & maskOf(signal)) != 0;
  shell->forGroup &= ~maskOf(signal);
  return was;
}

/* Passes signals on to bash, and notices its end, and that of the store. Returns whether bash may be killed next. */
static int takeSignals(Shell *shell) {
  struct {
    int signal, rest[31];
  } info;
  int isFatal = 0;
  while (call(READ, shell->signals, (long)&info, sizeof info) == sizeof info) {
    if (info.signal == SIGCHLD) {
      int status;
      for (long pid; (pid = callLong(WAIT4, -1, (long)&status, NO_WAIT, 0, 0)) > 0;) {
        if (pid == shell->pid) {
          shell->hasEnded = 1;
          shell->status = status;
        } else if (pid == shell->store)
          shell->storeStatus = status;
      }
      continue;
    }
    isFatal |= (maskOf(info.signal) & fatal()) != 0;
    if (!wasForGroup(shell, info.signal) && !shell->hasEnded) call(KILL, shell->pid, info.signal, 0);
  }
  return isFatal;
}

/* Notes what has come into the pipes. Returns whether it is something. */
static int see(Shell *shell) {
  int isMore = 0;
  for (int stream = 0; stream < 2; stream++) {
    int bytes = 0;
    if (shell->pipes[stream] < 0 || call(IOCTL, shell->pipes[stream], BYTES_READY, (long)&bytes) < 0) continue;
    int more = bytes - shell->seen[stream];
    if (more <= 0 || shell->runCount == MAX_RUNS) continue;
    isMore = 1;
    shell->seen[stream] = bytes;
    int *last = shell->runs[shell->runCount - 1];
    if (shell->runCount > 0 && last[1] == stream)
      last[2] += more;
    else {
      int *run = shell->runs[shell->runCount++];
      run[0] = RUN;
      run[1] = stream;
      run[2] = more;
    }
  }
  return isMore;
}

/* Writes a record for the store, of which a signal tells it, if it is started. None comes after that of the end. */
static void tell(Shell *shell, int kind, int number) {
  Record record;
  if (shell->isEndTold) return;
  shell->isEndTold = kind == ENDED;
  record[0] = kind;
  record[1] = number;
  record[2] = 0;
  call(WRITE, shell->control, (long)record, sizeof record);
  if (shell->store && shell->storeStatus < 0) call(KILL, shell->store, SIGUSR2, 0);
}

/* Nobody reads a stream any more, so nobody reads its pipe: bash gets SIGPIPE. A pipe at its end takes that one's number. */
static void dropReader(Shell *shell, int stream) {
  int ends[2];
  if (shell->pipes[stream] < 0 || !makePipe(ends)) return;
  call(DUP3, ends[0], shell->pipes[stream], CLOSE_ON_EXEC);
  call(CLOSE, ends[0], 0, 0);
  call(CLOSE, ends[1], 0, 0);
  if (shell->store) tell(shell, UNREAD, stream);
}

/* Waits until something has happened, or `waitMs` are over; -1: for ever. Returns whether bash may be killed next. */
static int awaitEvents(Shell *shell, long waitMs) {
  Event events[4];
  long count = callLong(EPOLL_PWAIT, shell->events, (long)events, 4, waitMs, 0);
  for (long at = 0; at < count; at++)
    if (events[at].data < 3) dropReader(shell, events[at].data - 1);
  return takeSignals(shell);
}

/* Starts a `cat` for each pipe, which passes on what comes. Returns whether they were started. */
static int startCats(const Shell *shell, int cats[2]) {
  static const int to[] = {0, 1, 2};
  char *words[2];
  words[0] = "cat";
  words[1] = 0;
  int areStarted = 1;
  for (int stream = 0; stream < 2; stream++) {
    int from[4];
    from[0] = shell->pipes[stream];
    from[1] = from[2] = 1 + stream;
    from[3] = -1;
    cats[stream] = from[0] < 0 ? 0 : startProgram("/bin/cat", words, words + 1, from, to, shell->mask, TO_PASS_ON);
    areStarted = areStarted && (from[0] < 0 || cats[stream]);
  }
  return areStarted;
}

/* Whether no process holds a pipe any more, if it is there. */
static int isOver(int pipe) { return pipe < 0 || (await(pipe, 0, 0) & EVENT_HANGUP); }

/* Has all passed on that comes, as nothing can store it. What is in the pipes at the end of bash is passed on before that of this process. */
static void passAll(Shell *shell) {
  int cats[2];
  startCats(shell, cats);
  while (!shell->hasEnded) awaitEvents(shell, -1);
  for (int stream = 0; stream < 2; stream++)
    if (cats[stream] && isOver(shell->pipes[stream])) callLong(WAIT4, cats[stream], 0, 0, 0, 0);
}

/* Writes to a stream. Returns how much was written: all of it, unless that is impossible. Who does not read gets nothing more. */
static int writeAll(int stream, const char *bytes, int length) {
  int written = 0;
  while (written < length) {
    long count = call(WRITE, stream, (long)(bytes + written), length - written);
    if (count == BROKEN_PIPE) return length;
    if (count == TRY_AGAIN)
      await(stream, EVENT_OUT, SOON_MS);
    else if (count < 0)
      return written;
    else
      written += count;
  }
  return written;
}

/* Starts `fdtool shell`, which takes the output. With an `answer`, it first says there how bash is to be started. */
static void startStore(Shell *shell, int answer) {
  static const int to[] = {OUT_FILE, ERR_FILE, CONTROL_FILE, ANSWER_FILE};
  int control[2], from[5], files[4], count = 0;
  if (!makePipe(control)) return;
  shell->control = control[1];
  call(FCNTL, control[0], SET_STATUS, NON_BLOCKING);
  call(WRITE, control[1], (long)shell->runs, shell->runCount * sizeof(Record));
  tell(shell, STARTED, nowMs() - shell->startedMs);
  if (shell->dueMs && nowMs() >= shell->dueMs) tell(shell, FLUSH, 0);
  for (int at = 0; at < 4; at++) {
    int file = at < 2 ? shell->pipes[at] : at == 2 ? control[0] : answer;
    if (file < 0) continue;
    from[count] = file;
    files[count++] = to[at];
  }
  from[count] = -1;
  shell->env[shell->envCount] = answer < 0 ? "FDTOOL_SHELL_STARTED=1" : "FDTOOL_SHELL_STARTED=0";
  shell->env[shell->envCount + 1] = 0;
  shell->store = startProgram("/proc/self/exe", shell->words, shell->env, from, files, shell->mask, TO_STORE);
  shell->env[shell->envCount] = 0;
  call(CLOSE, control[0], 0, 0);
}

/* Waits for bash, and for the store, which is started if it is not yet. */
static void awaitStore(Shell *shell) {
  if (!shell->store) startStore(shell, -1);
  for (int stream = 0; stream < 2; stream++)
    if (shell->pipes[stream] >= 0) callLong(EPOLL_CTL, shell->events, REMOVE_EVENT, shell->pipes[stream], 0, 0);
  while (shell->store && !(shell->storeStatus >= 0 && (shell->storeStatus || shell->hasEnded))) {
    if (shell->hasEnded) tell(shell, ENDED, shell->status);
    if (awaitEvents(shell, -1)) tell(shell, FLUSH, 0);
  }
  static const char failed[] = "fdtool: output is no longer stored; what was stored before: fdtool ls\n";
  if (!shell->storeStatus) return;
  /* An exit code after the end is that of an answer that could not be written, which it has said. */
  if (!shell->isEndTold || shell->storeStatus & 0x7f) writeAll(2, failed, sizeof failed - 1);
  passAll(shell);
}

/* Sets a variable, of which `text` is name, = and value. */
static void setVariable(Shell *shell, char *text) {
  long at = 0;
  for (; at < shell->envCount; at++) {
    const char *name = text, *other = shell->env[at];
    while (*name != '=' && *name == *other) name++, other++;
    if (*name == '=' && *other == '=') break;
  }
  shell->env[at] = text;
  if (at == shell->envCount) shell->env[++shell->envCount] = 0;
}

/*
 * Starts the store, and has it say how bash is to be started: texts that end in NUL, the command line, which is empty if it
 * stays as it is, and at most two variables. Returns whether it has said that: else its output is not stored.
 */
static int prepare(Shell *shell, char **line) {
  enum { READ_WRITE_PAGES = 3, PRIVATE_ANONYMOUS = 0x22, ANSWER_BYTES = 512 << 10 };
  int answer[2];
  char *text = (char *)callLong(MMAP, 0, ANSWER_BYTES, READ_WRITE_PAGES, PRIVATE_ANONYMOUS, -1), *end = text;
  if (((long)text < 0 && (long)text > -PATH_BYTES) || !makePipe(answer)) return 0;
  startStore(shell, answer[1]);
  call(CLOSE, answer[1], 0, 0);
  for (long count; (count = call(READ, answer[0], (long)end, text + ANSWER_BYTES - end)) > 0;) end += count;
  call(CLOSE, answer[0], 0, 0);
  if (end == text || end[-1]) return 0;
  if (*text) *line = text;
  for (char *at = text;;) {
    while (*at++)
      ;
    if (at == end) return 1;
    setVariable(shell, at);
  }
}

/* Reads what is left of a run. Less than there was, if bash or its children have read their own output. */
static long readRun(const Shell *shell, const int *run, char *bytes) {
  int ready = 0, file = shell->pipes[run[1]];
  call(IOCTL, file, BYTES_READY, (long)&ready);
  return ready == 0 ? 0 : call(READ, file, (long)bytes, run[2]);
}

/* Passes on the output of bash, which has ended, and all of whose output is here. If a stream fails, the rest is for the store. */
static int passOn(Shell *shell) {
  char bytes[SMALL_BYTES];
  for (int at = 0; at < shell->runCount; at++) {
    int *run = shell->runs[at];
    long length = readRun(shell, run, bytes);
    int written = writeAll(1 + run[1], bytes, length);
    if (written == length) continue;
    int ends[2][2];
    run[2] = length - written;
    if (!makePipe(ends[0]) || !makePipe(ends[1])) return 1;
    for (int next = at; next < shell->runCount; next++) {
      int *rest = shell->runs[next];
      if (next > at) rest[2] = readRun(shell, rest, bytes);
      call(WRITE, ends[rest[1]][1], (long)(bytes + (next > at ? 0 : written)), rest[2]);
    }
    for (int stream = 0; stream < 2; stream++) {
      call(CLOSE, ends[stream][1], 0, 0);
      if (shell->pipes[stream] >= 0) shell->pipes[stream] = ends[stream][0];
    }
    for (int next = at; next < shell->runCount; next++)
      for (int part = 0; part < 3; part++) shell->runs[next - at][part] = shell->runs[next][part];
    shell->runCount -= at;
    return 0;
  }
  return 1;
}

/* Waits for bash. Returns whether its output was passed on; else it is to be stored. */
static int awaitBash(Shell *shell) {
  for (;;) {
    long waitMs = shell->dueMs ? shell->dueMs - nowMs() : -1;
    int hadEnded = shell->hasEnded, isFatal = awaitEvents(shell, shell->dueMs && waitMs < 0 ? 0 : waitMs);
    int isMore = see(shell);
    int isSmall = shell->seen[0] + shell->seen[1] <= SMALL_BYTES && shell->runCount < MAX_RUNS;
    if (!isSmall) return 0;
    if (shell->hasEnded && isOver(shell->pipes[0]) && isOver(shell->pipes[1])) {
      see(shell);
      return shell->seen[0] + shell->seen[1] <= SMALL_BYTES && shell->runCount < MAX_RUNS && passOn(shell);
    }
    if (shell->dueMs && nowMs() >= shell->dueMs && !isMore) {
      int cats[2];
      return shell->hasEnded && passOn(shell) && startCats(shell, cats);
    }
    if (shell->hasEnded != hadEnded || (isFatal && shell->runCount > 0))
      shell->dueMs = nowMs() + SOON_MS;
    else if (isMore && !shell->hasEnded)
      shell->dueMs = nowMs() + QUIET_MS;
  }
}

static void watch(const Shell *shell, int file, unsigned events) {
  Event event;
  event.events = events;
  event.data = file;
  callLong(EPOLL_CTL, shell->events, ADD_EVENT, file, (long)&event, 0);
}

/* Runs the call if it is one of a shell, and ends with it. Returns if that needs the runtime from the start. */
static void runShell(char **words, char **env, int isIgnoring) {
  static const int to[] = {1, 2};
  char path[PATH_BYTES];
  File out, err;
  Shell shell;
  int ends[2][2], from[3], terminal[16];
  char **bash = wordsOfShell(words);
  if (!bash || variable(env, "FDTOOL_SHELL_STARTED")) return;
  for (int at = 0; at < 2; at++) {
    const char *value = variable(env, at ? "FDTOOL_SHELL" : "FDTOOL_FORMAT");
    if (value && *value) return;
  }
  if (startState() & 7 || !findBash(variable(env, "PATH"), path) || !lookAt(1, "", &out) || !lookAt(2, "", &err)) return;
  char *name = bash[0], **line = lineOf(bash), *command = *line;
  shell.events = call(EPOLL_CREATE1, CLOSE_ON_EXEC, 0, 0);
  /* Without that, or threads, for which the C library wants this call to work or to be missing, nothing can be stored. */
  int isBare = shell.events < 0 || call(CLONE3, 0, 0, 0) == NOT_PERMITTED;
  isBare |= isOwnCall(bash[2]) || isDevice(&out) || (isDevice(&err) && call(IOCTL, 2, GET_TERMINAL, (long)terminal) == 0);
  if (isBare) becomeBash(path, bash, env, isIgnoring);
  int isOne = isSame(&out, &err), hasErr = !isOne && !isDevice(&err), mayKeep = 0;
  for (char **word = bash + 2; *word; word++) mayKeep = mayKeep || !isPlain(*word, env);
  shell.words = words;
  shell.envCount = 0;
  while (env[shell.envCount]) shell.envCount++;
  char *ownEnv[shell.envCount + MORE_VARIABLES + 1];
  for (long at = 0; at <= shell.envCount; at++) ownEnv[at] = env[at];
  shell.env = ownEnv;
  shell.hasEnded = shell.seen[0] = shell.seen[1] = shell.runCount = 0;
  shell.dueMs = shell.pid = shell.forGroup = shell.witness = shell.store = shell.isEndTold = 0;
  shell.pipes[1] = shell.storeStatus = -1;
  shell.startedMs = nowMs();
  size taken = ~(stopping() | maskOf(SIGXFSZ));
  setMask(~stopping(), &shell.mask);
  shell.signals = callLong(SIGNALFD4, -1, (long)&taken, sizeof taken, CLOSE_ON_EXEC | NON_BLOCKING, 0);
  int isReady = !isBare && shell.signals >= 0 && shell.events >= 0;
  for (int at = 0; at < 1 + hasErr; at++) {
    ends[at][0] = ends[at][1] = -1;
    isReady = isReady && makePipe(ends[at]);
  }
  if (isReady) {
    for (int at = 0; at < 1 + hasErr; at++) {
      from[at] = ends[at][1];
      shell.pipes[at] = ends[at][0];
      watch(&shell, ends[at][0], EVENT_IN | EDGE);
      watch(&shell, 1 + at, EDGE);
    }
    watch(&shell, shell.signals, EVENT_IN);
    if (isOne) from[1] = from[0];
    from[isOne || hasErr ? 2 : 1] = -1;
    if (mayKeep && !prepare(&shell, line)) {
      endProcess(shell.store);
      setMask(shell.mask, 0);
      becomeBash(path, bash, env, isIgnoring);
    }
    /* Not before: bash has not got what came to the group until now. */
    startWitness(&shell);
    bash[0] = "bash";
    shell.pid = startProgram(path, bash, shell.env, from, to, shell.mask, isIgnoring ? TO_RUN_IGNORING : TO_RUN);
  }
  bash[0] = name;
  *line = command;
  for (int at = 0; at < 1 + hasErr; at++) call(CLOSE, ends[at][1], 0, 0);
  if (!shell.pid) {
    for (int at = 0; at < 1 + hasErr; at++) call(CLOSE, ends[at][0], 0, 0);
    call(CLOSE, shell.signals, 0, 0);
    call(CLOSE, shell.events, 0, 0);
    endProcess(shell.witness);
    endProcess(shell.store);
    setMask(shell.mask, 0);
    return;
  }
  int isPassedOn = !shell.store && awaitBash(&shell);
  if (!isPassedOn) awaitStore(&shell);
  endProcess(shell.witness);
  endLike(shell.status);
}
