/**
 * How much a line looks like the report of a failure, from 0 to 100. Words and shapes that tools of all kinds use; nothing
 * here knows a program. docs/first-answer.md lists them.
 */

import { utf8Of } from "../outline/outlined_content.ts";

/** Words and what they say alone, in the middle of a sentence. The apostrophe parts the words of a line. */
export const WORDS =
  "panic 70 panicked 70 fatal 65 critical 60 crit 55 emerg 60 emergency 50 segfault 70 segmentation 70 " +
  "traceback 50 exception 50 uncaught 60 unhandled 55 aborted 50 abort 45 aborting 50 crashed 55 crash 45 " +
  "error 50 errors 40 err 50 errored 50 failed 50 fail 50 failure 50 failures 40 failing 45 fails 40 fault 40 " +
  "assertion 50 assert 35 killed 50 oom 55 deadlock 55 corrupt 50 corrupted 50 conflict 40 conflicts 35 " +
  "denied 45 refused 45 rejected 40 cannot 40 can't 40 unable 40 couldn't 40 undefined 35 unresolved 40 " +
  "unexpected 35 unexpectedly 40 invalid 35 illegal 40 missing 30 timeout 40 timed 30 mismatch 40 mismatched 40 " +
  "mismatches 40 unreachable 40 violation 45 violates 45 violated 45 unsupported 30 overflow 45 broken 35 " +
  "leaked 40 unrecognized 35 unsatisfied 40 unmet 35 incompatible 35 exhausted 40 nonzero 35 unhealthy 40 " +
  "exited 0 exit 0 exitcode 0 status 0 code 0 returned 0 found 0 such 0 not 0 could 0 signal 0 already 0 reset 0 dumped 40 caused 35 " +
  "want 25 wanted 25 expected 25 actual 15 got 10 received 5 diff 5 differ 25 differs 25 undeclared 35 unbound 35 duplicate 25 does 0 doesn't 25 " +
  "unused 12 warning 12 warn 12 warnings 6 deprecated 6 deprecation 6 retrying 8 retry 6 problem 25 problems 25 " +
  "sigsegv 60 sigabrt 55 sigkill 50 sigbus 55 sigill 55 sigterm 30 e 0 bug 20 failover 5 rollback 25 evicted 35 " +
  "enospc 55 enomem 55 eacces 45 eperm 45 econnrefused 50 econnreset 45 etimedout 45 eaddrinuse 55 eio 50 emfile 50 " +
  "erofs 50 enotempty 35 eexist 20 einval 25 enoent 20 enotdir 30 eisdir 30 epipe 30 eresolve 55 unmerged 40 " +
  "backoff 25 crashloopbackoff 60 oomkilled 60 imagepullbackoff 55 throttled 25 degraded 30 down 8 dead 25 lost 20 " +
  "unknown 30 malformed 40 damaged 40 truncated 30 incomplete 30 inconsistent 35 incorrect 30 wrong 30 bad 30 ambiguous 35 " +
  "unavailable 35 inaccessible 40 nonexistent 40 unreadable 40 forbidden 35 unauthorized 40 prohibited 35 insecure 25 untrusted 30 " +
  "expired 30 revoked 30 exceeded 40 exceeds 35 insufficient 40 underflow 40 infeasible 40 unsatisfiable 40 unsat 35 impossible 35 " +
  "circular 30 cyclic 30 unclosed 40 unterminated 40 unmatched 30 unbalanced 35 misconfigured 40 interrupted 35 disconnected 25 " +
  "busy 20 hung 40 absent 25 lacks 25 stray 25 tampered 45 unresponsive 45 unrecoverable 50 faulty 40 premature 35 " +
  "prematurely 35 unusable 40 diverged 30 violations 35 rejects 30 rejecting 40 refuses 30 refusing 40 disallowed 35 overrun 40 " +
  "underrun 40 abnormal 35 abnormally 40 redefinition 35 redefined 30 redeclared 35 unimplemented 30 " +
  "unparsable 40 dangling 30 orphaned 25 vulnerable 30 vulnerability 30 collision 25 collides 35 contradicts 40 " +
  "discrepancy 35 disagree 30 disagrees 30 clash 30 halted 30 quarantined 35 compromised 35 suspicious 30 " +
  "uninitialised 95 uninitialized 95 undeliverable 40 bounced 30 misspelled 25 unpaired 35 unwritable 40 unsound 35 corruption 45 regression 30 " +
  "cancelled 30 canceled 30 blocked 30 stuck 30 stalled 30 skipping 12 severe 50 alert 30 unsuccessful 40 leak 35 leaks 35 race 20 " +
  "fehler 50 fehlgeschlagen 50 fehlt 30 abgebrochen 45 verweigert 45 unbekannt 30 unbekannte 30 unbekannter 30 unbekanntes 30 " +
  "erreur 50 introuvable 40 inconnu 30 inconnue 30 fallo 50 desconocido 30 desconocida 30 denegado 45 " +
  "错误 55 錯誤 55 失败 55 失敗 55 异常 45 異常 45 致命 65 崩溃 55 无法 40 無法 40 拒绝 45 拒否 45 超时 40 找不到 40 未找到 40 " +
  "不存在 35 无效 35 無效 35 警告 12 エラー 55 例外 50 できません 40 見つかりません 40 存在しません 35 タイムアウト 40 不正な 35 " +
  "오류 55 실패 55 예외 50 경고 12";

/** Words that say, before a sign, that nothing failed or that it is only spoken of. */
export const BEFORE_SIGNS =
  "no zero without any never not if on for of the or and when handle handles handled handling test tests with ignore ignoring";

const SPACED = ` ${WORDS}`;
/** The strengths of words that were asked for: a table of all would be made for a few. */
const STRENGTHS = new Map<string, number>();

/** Returns what a word says alone; -1 for a word not among {@link WORDS}. */
function strengthOf(word: string): number {
  let strength = STRENGTHS.get(word);
  if (strength === undefined) {
    const at = SPACED.indexOf(` ${word} `);
    if (at < 0) return -1;
    const from = at + word.length + 2;
    strength = Number.parseInt(SPACED.slice(from, from + 3));
    STRENGTHS.set(word, strength);
  }
  return strength;
}

/** Whether a word in small letters may say that something failed. */
export function isSign(word: string): boolean {
  return strengthOf(word) >= 0;
}

/** Marks of what passed and of what failed, in latin1. */
export const CHECK = "\xe2(?:\x9c[\x85\x93\x94]|\x88\x9a)";
export const CROSS = "\xe2(?:\x9c[\x95-\x98]|\x9d[\x8c\x8e]|\xa8\xaf)";
/** Other marks may have the same hash. */
const IS_CROSS = new RegExp(`^${CROSS}`);
let passed: RegExp | undefined;
let failed: RegExp | undefined;
/** The end of a line that counts what passed, after what failed. */
const TALLY = /[,;|(]\s*(?:[a-z]+ )?\d+ (?:[a-z]+ )?(?:ok|passed|skipped)\)?\s*$/i;
/** The start of a report, whatever its last word is. */
const REPORT = /^\W*(?:error|fatal|panic):\s/i;

/** A verdict is the first word of a line, or the last, behind which a share or a duration may follow. */
const VERDICT_REST = "\\s*[|\\])]?(?:\\s*(?:\\[[^\\]]*\\]|\\([^)]*\\))|\\s+\\d[\\d.]* ?[a-z]{1,4})?\\.?\\s*$";
function verdict(first: string, last: string): RegExp {
  return new RegExp(
    `^(?:[\\s([|-]|\xe2[\x94\x95].)*(?:${first})|(?:\\.\\.\\.|\xe2\x80\xa6|:|\\s)\\s*[[(]?(?:${last})${VERDICT_REST}`,
    "i",
  );
}

/** Whether a line, in latin1, says of one thing that it passed, or that it failed. */
export function verdictOf(line: string): "passed" | "failed" | undefined {
  // A name may begin with `fail`, too.
  dotted ??= new RegExp(
    `(?:\\.\\.\\.|\xe2\x80\xa6|\\d s = (?=\\.))\\s*(?:ok|passed|\\.)${VERDICT_REST}`,
    "i",
  );
  if (dotted.test(line)) return "passed";
  failed ??= verdict(`not ok\\b|fail(?:ed)?\\b|${CROSS}`, `not ok|failed|${CROSS}`);
  passed ??= verdict(
    `ok\\b|pass(?:ed)?\\b|\\+\\]|success(?:[:!]? [a-z]|\\W*$)|${CHECK}`,
    `ok|passed|pass(?=\\s*[|\\])])|skipped|${CHECK}`,
  );
  if (failed.test(line)) return "failed";
  return passed.test(line) && !TALLY.test(line) && !REPORT.test(line) ? "passed" : undefined;
}

/** Whether a line says somewhere that something passed, and nowhere that it did not; with `inCapitals`, only so. */
export function saysPassed(line: string, inCapitals = false): boolean {
  return (inCapitals ? PASSED : PASSED_ANYHOW).test(line) &&
    !/fail|error|warn|\bnot?\b|\bun|\bmis|bad|broken|invalid|wrong/i.test(line);
}

/** A mutant that was killed is a test that passed. */
const PASSED = /(?<![-\w])(?:PASS(?:ED)?|SUCCE(?:SS|EDED)|OK|(?<=[Mm]utat.*)KILLED)(?![-\w])/;
const PASSED_ANYHOW = /\b(?:pass(?:ed)?|ok|success(?:ful(?:ly)?)?|succeeded)\b|[\u2713\u2714\u221a]/i;

let dotted: RegExp | undefined;

/**
 * A number of failures from 1 on, which is kept, or words that there are none. As an alternative to a char before,
 * the start of the text would double the pattern: 60 µs to compile, not 20.
 */
const COUNT_BEFORE =
  /(?<![\w.])(?:([1-9]\d*)\s+(?:tests?\s+)?|(?:0|no|zero|without(?: any)?|(?:not|if) any|never|isn't)\s+(?:[a-z]+(?:\(s\))?\s+)?)$/;
const NONE_AFTER =
  /^s?["'\]]*(?:\s*[:=]|\s+count\s*[:=]?)\s*(?:["']?0(?![\d.x])|""|''|null\b|nil\b|none\b|false\b|\[\]|\{\})/;
const MANY_AFTER = /^["'\]]*\s*[:=]\s*[1-9]\d*\b/;
/** The mark behind a field or bracket, which is kept, or words with which a sign is only spoken of. */
const SPEECH_BEFORE =
  /(?:([=:|[("'<])\s*|\b(?:o[fnr]|if|for|a(?:nd|ny)|t(?:he|ests?)|no|w(?:hen|ith)|handl(?:e[ds]?|ing)|ignor(?:e|ing))\s+)$/;
const MEASURED = /^(?: ?(?:%|[num]?s\b|[kMG]i?B\b|bytes?\b)|\.\d)/;
const SENTENCE = /^(?:$| (?!count)[a-z\d])/;
const SIGNALLED = /(?:^|signal|by|with|received|killed|caught|exit(?:ed)?|:)[\s("':]*$/;
const BAD_END =
  /^(?:ed)?["']?\s*(?:with|code|status|exit|value|error|was|is|by|of|[:=(]|\s)*(?:code|status)?\s*[:=]?\s*\(?(?:-?[1-9]\d*\b|sig[a-z]{2,4}\b)/;

/** How strong the signs of a line are together, and the strongest of them, as the hash of its word. */
interface Judgement {
  strength: number;
  sign: number;
}

/** A line among others, of one char a byte. */
interface LineIn {
  text: string;
  /** The text in lower case. */
  lower: string;
  /** The start and the end of the line there. */
  from: number;
  to: number;
}

/**
 * Judges the line by its signs, as the kernel reports them, from `sign` up to `end`: two places in the text plus `textAt`, and the
 * hash of the word. `flags` are 1 if the line starts with a place
 * (`file.c:12:`), and more if it may say that something passed.
 */
export function judgeLine(
  line: LineIn,
  numbers: Int32Array,
  sign: number,
  end: number,
  textAt: number,
  flags: number,
): Judgement {
  let strongest = 0;
  let others = 0;
  let strongestSign = 0;
  for (; sign < end; sign += 3) {
    const strength = judgeSign(line, numbers[sign]! - textAt, numbers[sign + 1]! - textAt);
    if (strength > strongest) {
      others += strongest;
      strongest = strength;
      strongestSign = numbers[sign + 2]!;
    } else others += strength;
  }
  if ((flags & 1) === 1) strongest += strongest < 40 ? 20 : 5;
  const strength = Math.min(100, strongest + Math.min(15, others / 5));
  const isPassed = flags > 1 && verdictOf(line.lower.slice(line.from, line.to)) === "passed";
  return { strength: isPassed ? strength / 20 : strength, sign: strongestSign };
}

/** The strength of the sign at `at` to `end` of the text. */
function judgeSign({ text, lower: line, from, to }: LineIn, at: number, end: number): number {
  const before = line.slice(Math.max(from, at - 48), at);
  const after = line.slice(end, Math.min(to, end + 32));
  const word = line.slice(at, line.charCodeAt(end - 1) === 0x2e ? end - 1 : end);
  const first = line.charCodeAt(at);
  if (first === 0xe2) return !IS_CROSS.test(word) ? 0 : isLead(before) ? 70 : 40;
  if (first >= 0x80) return judgeWideSign(utf8Of(before), utf8Of(line.slice(at, Math.min(to, at + 72))));
  // A status, unless it is measured: `543 ms`, `55m`.
  if (first === 0x35 && word.length === 3) return /^5\d\d$/.test(word) && !MEASURED.test(after) ? 55 : 0;
  const known = strengthOf(word);
  if (known < 0) {
    // The name of an error. In code or a list of names it is not one that happened.
    return after.startsWith(":") ? 70 : /^(?:$|\s)/.test(after) && isLead(before) ? 60 : 15;
  }
  if (known === 0) return judgePhrase(word, before, after);
  // Behind most signs the sentence goes on: then two patterns need not be tested.
  const isSentence = SENTENCE.test(after);
  const counted = COUNT_BEFORE.exec(before);
  if (counted !== null && counted[1] === undefined || !isSentence && NONE_AFTER.test(after)) return 0;
  let strength = known;
  if (known < 15) return strength;
  if (word === "critical" && /^ (?:path|section)\b/i.test(after)) return 0;
  if (word.startsWith("sig")) return SIGNALLED.test(before) ? strength : 0;
  const isCapital = text.charCodeAt(at + 1) < 0x60 && text.charCodeAt(at) < 0x60;
  if (isCapital) strength += 15;
  const next = after.charCodeAt(0);
  const isMarked = next === 0x3a || next === 0x5b || next === 0x5d || next === 0x21;
  if (isMarked) strength += 12;
  else if (next === 0x28 || next === 0x3d) strength *= 0.5;
  if (isLead(before)) strength += 15;
  else if (!isCapital && !isMarked) {
    // In the middle of a sentence: a verb in the past reports a failure, a noun may only mention one.
    const speech = SPEECH_BEFORE.exec(before);
    if (speech === null) strength *= word.endsWith("ed") || word.startsWith("can") ? 0.8 : 0.5;
    else if (speech[1] === undefined) strength *= 0.4;
  }
  if (counted !== null || !isSentence && MANY_AFTER.test(after)) strength += 15;
  return strength;
}

const NO_WIDE_BEFORE = /(?:没有|沒有|无|無|未发生|零|(?:^|[^\d.])0\s*[个個件]?)(?:任何)?$/;
const NO_WIDE_AFTER = /^(?:[:：=]\s*0(?![\d.x])|\s*0\s*[个個件]|なし|無し|は?ありません|は?発生しません)/;
const WIDE_SPOKEN_OF = /^(?:处理|處理|日志|码|碼|率|数|ハンドラ|ログ|コード|処理)/;

const MAX_WIDE_CHARS = 8;

/** The strength of a sign in a script without spaces between words, or of one in Korean, with which `text` may start. */
function judgeWideSign(before: string, text: string): number {
  let length = MAX_WIDE_CHARS;
  while (length > 1 && strengthOf(text.slice(0, length)) < 0) length--;
  const known = Math.max(0, strengthOf(text.slice(0, length)));
  const after = text.slice(length);
  if (NO_WIDE_BEFORE.test(before) || NO_WIDE_AFTER.test(after)) return 0;
  if (WIDE_SPOKEN_OF.test(after)) return known * 0.4;
  return known + (/^[:：!！]/.test(after) ? 12 : 0);
}

/** Whether `before` has no words, or only a time, a name and a bracket. */
function isLead(before: string): boolean {
  return before.length < 48 && /^[^a-z]*(?:[a-z][\w.-]*[^a-z]*)?$/.test(before);
}

function judgePhrase(word: string, before: string, after: string): number {
  switch (word) {
    case "found":
      return /\bnot\s+(?:be\s+)?$/.test(before)
        ? 40
        : /\bno\s+(?!(?:issue|error|problem|warning|failure|violation|offense|vulnerabilit|hit|finding|leak|secret|typo|defect|bug|diagnostic|conflict|duplicate|cycle)\w*\s)[\w ]*$/
            .test(before)
        ? 20
        : 0;
    case "such":
      return /\bno\s+$/.test(before) ? 45 : 0;
    case "could":
    case "does":
      return /^\s+not\b/.test(after) ? (word === "could" ? 40 : 25) : 0;
    case "not":
      if (/^\s*$/.test(before) && /^ ok\b/.test(after)) return /#\s*(?:todo|skip)/.test(after) ? 5 : 80;
      return /^\s+(?:allowed|permitted|known|readable|writable|reachable|responding|authorized|accessible|executable|unique|compatible|assignable|defined|supported|implemented|satisfied|connected|mounted|exist|valid|equal|match|recogni[sz]ed|available|installed|declared|enough|a valid)/
          .test(after)
        ? 35
        : 0;
    // How systems say what went wrong: `Address already in use`, `Connection reset by peer`.
    case "already":
      return /^\s+(?:in use|exists?|running|defined|declared|registered|taken|locked)\b/.test(after) ? 35 : 0;
    case "reset":
      return /\bconnection\s+$/.test(before) || /^\s+by\s+peer/.test(after) ? 45 : 0;
    case "e":
      // What pytest and apt write before an error.
      return before.trim() === "" && /^(?: {2,}\S|: )/.test(after) ? 65 : 0;
    case "signal":
      return /^:?\s+(?:\d|sig)/.test(after) ? 40 : 0;
    default:
      return BAD_END.test(after) ? (word === "status" || word === "code" ? 35 : 55) : 0;
  }
}
