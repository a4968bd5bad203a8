// Promise: `rewrite` refuses lines that replace omitted code, and accepts similar ones (contract, Writing files).
// Both lists come from how models and people write, in many languages; precision and recall over them must stay 1.

import { assert, assertEquals } from "@std/assert";
import { findPlaceholders } from "./placeholder_lines.ts";

function placeholdersIn(text: string, fileName: string, before = "") {
  const encode = (text: string) => new TextEncoder().encode(text);
  return findPlaceholders({ content: [encode(text)], fileName, before: [encode(before)] });
}

/** Lines that replace omitted content: file name, then lines, each on its own. */
const PLACEHOLDERS: readonly (readonly [string, readonly string[]])[] = [
  ["a.js", [
    "// Rest of file remains unchanged",
    "// ... existing code ...",
    "  // ...existing code...",
    "// … existing code …",
    "/* ... existing code ... */",
    "/* existing code */",
    "// Previous code remains...",
    "// previous code remains the same",
    "// ... rest of the code",
    "// ... rest of the code remains the same ...",
    "// rest of the component remains unchanged",
    "// The rest of the file stays the same",
    "// rest of your code here",
    "// Add the rest of your code here",
    "// ... other methods ...",
    "// ... other methods",
    "// Other methods remain the same",
    "// All other functions remain unchanged",
    "// (rest of the function is unchanged)",
    "// [rest of the code unchanged]",
    "// --- existing code ---",
    "// ===== rest of file unchanged =====",
    "// unchanged",
    "// ... unchanged ...",
    "// no changes below",
    "// No changes needed here",
    "// same as before",
    "// ... same as before ...",
    "// Same imports as before",
    "// imports remain the same",
    "// Keep existing code",
    "// Keep the rest of the file as is",
    "// keep the existing code unchanged",
    "// existing imports and code",
    "// ...",
    "  // …",
    "/* ... */",
    "// code omitted for brevity",
    "// Implementation omitted for brevity",
    "// omitted",
    "// snip",
    "// [snip]",
    "// ... (lines 10-80 unchanged)",
    "// lines 40-120 remain unchanged",
    "// ... 120 lines omitted ...",
    "// your existing code here",
    "// insert existing code here",
    "// Everything else remains the same",
    "// everything else unchanged",
    "// ... more code ...",
    "// ... the rest",
    "// ...rest of file",
    "// ... props ...",
    "// Remaining code unchanged",
    "// ...remaining methods...",
    "// continue with the rest of the function",
    "// handleSubmit function remains unchanged",
    "// existing handler logic here",
    "// implementation goes here",
    "function load() { /* unchanged */ }",
    "function load() { /* ... existing code ... */ }",
    "  render() { // ... existing implementation ...",
    "const app = { // ...existing options",
    "return total; // ... rest of the function",
    "... existing code ...",
    "... rest of file unchanged ...",
    "[rest of the code remains the same]",
    "(rest of file unchanged)",
    "// Original code continues here",
    "// code above remains the same",
    "[truncated]",
    "...[truncated]",
    "... [truncated]",
    "<truncated>",
    "[TRUNCATED]",
    "// ...[truncated]",
    "  const x = compute(a, b); ...[truncated]",
    "[120 lines omitted]",
    "[... 120 lines omitted ...]",
    "... 1,204 more lines truncated ...",
    "[... omitted 120 of 600 lines ...]",
    "…120 tokens truncated…",
    "[Showing lines 1-20 of 60. Use :21 to continue]",
    "[Showing lines 1-2000 of 3433 (50KB limit). Use offset=2001 to continue]",
    "(Showing lines 1-20 of 60. Use 'offset' to read beyond line 20)",
    "[Showing only 500 of 2000 total lines. Use line_range to read more]",
    "[40 more lines in file. Use offset=21 to continue.]",
    "(40 more lines below)",
    "(File has more lines. Use 'offset' parameter to read beyond line 2000)",
    "(End of file - total 60 lines)",
    "[File content truncated: showing lines 1-2000 of 5000 total lines. Use offset/limit to view more.]",
    "(Output capped at 50 KB. Showing lines 1-1219. Use offset=1220 to continue.)",
    "[Truncated: PARTIAL view, lines 1-500 of 2000. Call Read with offset=501]",
    "[... Observation truncated due to length ...]",
    "<response clipped><NOTE>To save on context only part of this file has been shown to you.</NOTE>",
    "... first 120 lines hidden ...",
    "/* Lines 20-60 omitted */",
    '… lines 2-40: 39 like "x"',
    "… line 7",
    '… lines 41-1210: 1,170 like "   Compiling serde v1.0.219", 2 like "[x]"',
    "... lines 2-40",
    '<fd_content fd="fd:1" pages="6" continued="false" truncated="false" lines="1-3" total_lines="901" mode="line" start="1" count="3">',
    '<fd_result fd="fd:12" pages="6" truncated="false" lines="1-1" total_lines="901" source="run">',
    '<fd_matches fd="fd:1" pattern="a>b" total="9" shown="9">',
    "// Remaining functions are identical to the original.",
    "// TODO: keep existing methods",
    "// TODO keep existing methods",
    "<!-- TODO: keep existing content -->",
    "[snip]",
    "<unchanged>",
    "[lines 20-60 not shown]",
    "[Lines 1-20 of 60]",
    "[40 more lines]",
    "[60 lines total, showing 1-20]",
    "[Use offset=21 to continue]",
    "(file continues)",
    "<rest of file>",
    "[existing content]",
    "⋮...",
    "// truncated for brevity",
    "// TODO: rest of the implementation",
    "// NOTE: existing code here",
  ]],
  ["a.tsx", [
    "{/* ... existing code ... */}",
    "      {/* rest of the component */}",
    "{/* existing content unchanged */}",
    "{/* ... other fields ... */}",
    "{/* Remaining JSX unchanged */}",
  ]],
  ["a.py", [
    "# ... existing code ...",
    "    # ... rest of the method ...",
    "# rest of the file remains unchanged",
    "# Rest of the code stays the same",
    "# existing imports...",
    "    # ... existing fields ...",
    "def save(self):  # unchanged",
    "class User:  # ... existing fields ...",
    "# ... (previous implementation) ...",
    "# [Previous methods remain unchanged]",
    "# ... keep the other tests ...",
    '""" ... existing docstring ... """',
    "# The remaining functions are unchanged",
    "# ...",
  ]],
  ["a.html", [
    "<!-- unchanged -->",
    "<!-- ... existing code ... -->",
    "  <!-- rest of the page -->",
    "<!-- Rest of the content remains the same -->",
    "<!-- ... -->",
    "<div><!-- existing markup --></div>",
    "<!-- existing content -->",
  ]],
  ["a.css", [
    "/* rest of the styles remain unchanged */",
    "/* ... other styles ... */",
    "/* existing styles */",
  ]],
  ["a.sql", ["-- ... existing columns ...", "-- rest of the queries unchanged", "-- existing code"]],
  ["a.lua", ["-- rest of file unchanged", "--[[ existing code ]]"]],
  ["a.hs", ["{- rest of the module unchanged -}", "-- ... existing definitions ..."]],
  ["a.lisp", [";; ... existing code ...", "; rest of the file unchanged"]],
  ["a.tex", ["% ... rest of the document ...", "% rest of the section unchanged"]],
  ["a.ml", ["(* ... existing code ... *)"]],
  ["a.vb", ["' ... existing code ...", "' Rest of the code remains the same"]],
  ["a.bat", ["REM ... existing code ...", ":: rest of the script unchanged"]],
  ["a.yaml", ["# ... rest of the config ...", "  # existing services unchanged", "# ... other jobs ..."]],
  ["a.toml", ["# ... existing dependencies ...", "# rest of file unchanged"]],
  ["Dockerfile", ["# ... existing steps ..."]],
  ["a.json", [
    '  "...": "rest of the configuration unchanged",',
    "  // ... existing settings ...",
    '"// ...": ""',
  ]],
  ["a.jinja", ["{# ... existing template ... #}", "{# rest of the template unchanged #}"]],
  ["a.hbs", ["{{!-- existing code --}}"]],
  ["a.erb", ["<%# rest of the template unchanged %>"]],
  ["a.rs", [
    "// ... existing code ...",
    "    // ... other match arms and rest of function",
    "/* unchanged */",
  ]],
  ["a.go", ["// ... existing code ...", "\t// ... rest of the function remains the same"]],
  ["a.java", ["// ... getters and setters ...", "// Existing methods...", "// ... constructor unchanged"]],
  ["a.php", ["// ... existing code", "# rest of class remains unchanged"]],
  ["a.rb", ["# ... existing methods ...", "# rest of the class is unchanged"]],
  ["a.md", [
    "<!-- rest of the document unchanged -->",
    "[Rest of the document remains unchanged]",
    "... rest of README unchanged ...",
  ]],
];

/** The same in other languages and forms, tried before the rules were written for them. */
const FURTHER: typeof PLACEHOLDERS = [
  ["a.js", [
    "// ... Rest des Codes unverändert ...",
    "// ... restlicher Code bleibt unverändert ...",
    "// ... bestehender Code ...",
    "// Rest der Datei bleibt unverändert",
    "// ... reste du code inchangé ...",
    "// Le reste du fichier reste inchangé",
    "// ... resto del código sin cambios ...",
    "// ... código existente ...",
    "// ... restante do código permanece igual ...",
    "// resto do código sem alterações",
    "// ... código existente aqui ...",
    "// ... resto del codice invariato ...",
    "// il resto del file rimane invariato",
    "// ... 其余代码保持不变 ...",
    "// ... 省略 ...",
    "// 此处省略其他代码",
    "// ... 现有代码 ...",
    "// ... 既存のコード ...",
    "// ... 残りのコードは変更なし ...",
    "// 残りは同じ",
    "// ... остальной код без изменений ...",
    "// ... существующий код ...",
    "// ... 기존 코드 ...",
    "// 나머지 코드는 동일",
    "// ... rest van de code ongewijzigd ...",
    "// ... reszta kodu bez zmian ...",
    "// ... kodun geri kalanı değişmedi ...",
    "// ... باقي الكود بدون تغيير ...",
    "// ... बाकी कोड वही रहेगा ...",
    "// ... phần còn lại giữ nguyên ...",
    "// ... resten av koden oförändrad ...",
    "// [...]",
    "// (…)",
    "// <...>",
    "// <snip>",
    "// --- snip ---",
    "// etc...",
    "// and so on...",
    "// ... and so on",
    "// ... same as above ...",
    "// ... as before ...",
    "// Same as original",
    "// (unchanged)",
    "// <unchanged code>",
    "// UNCHANGED",
    "// [UNCHANGED CODE]",
    "// {{ existing code }}",
    "// {... existing code ...}",
    "// ...existing code above...",
    "// unchanged code above",
    "// unchanged lines",
    "// ... (unchanged lines 10 through 40) ...",
    "// ... lines 10-40 unchanged ...",
    "// lines 10 through 40 unchanged",
    "// lines 10..40 are the same as before",
    "// 30 lines unchanged",
    "// ... 30 unchanged lines ...",
    "// 30 unchanged lines hidden",
    "// [40 unchanged lines]",
    "// ... remaining 200 lines ...",
    "// remaining 200 lines unchanged",
    "// (remaining code omitted for length)",
    "// [code truncated for length]",
    "// truncated due to length",
    "// (content truncated due to size limits)",
    "// file continues unchanged from here",
    "// continues as before",
    "// the rest is unchanged",
    "// rest is the same",
    "// the rest stays as it was",
    "// ...rest stays as is...",
    "// The rest of this file is identical to the original",
    "// Everything below is unchanged",
    "// everything after this point is unchanged",
    "// No other changes",
    "// no further changes below this line",
    "// no changes to the rest of this file",
    "// leave the rest unchanged",
    "// leave everything else as-is",
    "// do not change anything below",
    "// (keep everything else)",
    "// keep remaining code the same",
    "// KEEP THE REST OF THE FILE",
    "// retain existing code",
    "// preserve existing functionality below",
    "// paste existing code here",
    "// copy the rest from the original file",
    "// insert rest of code here",
    "// ... your code here ...",
    "// ... your existing logic ...",
    "// TODO: add remaining methods",
    "// TODO: implement the rest",
    "// TODO: copy over the remaining functions",
    "// placeholder for existing code",
    "// [placeholder: existing code]",
    "// existing code...",
    "// existing code continues",
    "// existing code unchanged",
    "// existing functions remain",
    "// existing tests",
    "// ...existing tests...",
    "// (existing implementation unchanged)",
    "    // ... ...",
    "    ......",
    "    ⋯",
    "    // ⋯",
    "    // ⋮",
    "  /* … */",
    "  /* [...] */",
    "  /* unchanged lines omitted */",
    "function foo() { ... }",
    "function foo() {...}",
    "function foo() { … }",
    "class Foo { /* ... */ }",
    "class Foo { /* body unchanged */ }",
    "// `foo` and `bar` remain unchanged",
    "// foo(), bar(), baz(): unchanged",
    "// ... foo, bar, baz unchanged ...",
    "// ... [rest of component code] ...",
    "// ... more imports ...",
    "// ... more of the same ...",
    "// ... several more cases ...",
    "// ... other cases unchanged ...",
    "// (other routes unchanged)",
    "// other handlers...",
    "// ...other handlers",
    "// similar for the other handlers",
    "// Repeat for other fields",
    "// ... same pattern for the others ...",
  ]],
  ["a.py", [
    "# ... (Rest unverändert)",
    "# ... bestehender Code hier ...",
    "# ... code existant ...",
    "# El resto del código permanece igual",
    "# 其余代码不变",
    "# ……其余代码省略……",
    "# 以下省略",
    "# Остальной код остаётся без изменений",
    "    ...  # unchanged",
    "    ...  # existing code",
    "    pass  # existing code",
    "    pass  # rest of implementation",
    "    pass  # ... existing implementation ...",
    "    pass  # unchanged",
    "    # [existing code]",
    "    # <existing code>",
    "    # (existing code)",
    "    # existing code here",
    "    # Existing code here...",
  ]],
  ["a.html", [
    "<!-- ... Rest unverändert ... -->",
    "<!-- contenu existant inchangé -->",
  ]],
  ["a.ts", [
    "interface A { /* existing props */ }",
  ]],
  ["a.sh", [
    "# rest of script",
    "# ... rest of script ...",
    ": # ... existing code ...",
  ]],
  ["a.ps1", [
    "<# existing code #>",
  ]],
  ["a.pl", [
    "# ... existing subs ...",
  ]],
  ["a.jl", [
    "#= ... existing code ... =#",
  ]],
  ["a.nim", [
    "#[ existing code ]#",
  ]],
  ["a.swift", [
    "// ... existing properties ...",
  ]],
  ["a.dart", [
    "// ... existing widgets ...",
  ]],
  ["a.scala", [
    "// ... existing defs ...",
  ]],
  ["a.ex", [
    "# ... existing functions ...",
  ]],
  ["a.erl", [
    "%% ... existing clauses ...",
  ]],
  ["a.clj", [
    ";; ... existing fns ...",
    "#_(existing code)",
  ]],
  ["a.f90", [
    "! ... existing code ...",
  ]],
  ["a.cob", [
    "      * ... existing code ...",
  ]],
  ["a.adb", [
    "-- ... existing code ...",
  ]],
  ["a.pas", [
    "{ ... existing code ... }",
    "(* existing code *)",
    "// existing code",
  ]],
  ["a.m", [
    "% ... existing code ...",
  ]],
  ["a.vim", [
    '" ... existing config ...',
  ]],
  ["a.asm", [
    "; ... existing code ...",
  ]],
  ["a.vhd", [
    "-- ... existing code ...",
  ]],
  ["a.proto", [
    "// ... existing fields ...",
  ]],
  ["a.graphql", [
    "# ... existing types ...",
  ]],
  ["a.tf", [
    "# ... existing resources ...",
  ]],
  ["a.cmake", [
    "# ... existing targets ...",
  ]],
  ["Makefile", [
    "# ... existing targets ...",
  ]],
  ["a.gradle", [
    "// ... existing dependencies ...",
  ]],
  ["a.ini", [
    "; ... existing settings ...",
    "# ... existing settings ...",
  ]],
  ["a.conf", [
    "# ... existing directives ...",
  ]],
  ["a.xml", [
    "<!-- ... existing elements ... -->",
    "<!-- existing dependencies -->",
  ]],
  ["a.vue", [
    "<!-- ... existing template ... -->",
  ]],
  ["a.svelte", [
    "<!-- ... rest unchanged ... -->",
  ]],
  ["a.astro", [
    "{/* ... rest unchanged ... */}",
  ]],
  ["a.pug", [
    "//- ... existing markup ...",
  ]],
  ["a.twig", [
    "{# existing blocks #}",
  ]],
  ["a.ejs", [
    "<%# existing code %>",
  ]],
  ["a.jsp", [
    "<%-- existing code --%>",
  ]],
  ["a.cfm", [
    "<!--- existing code --->",
  ]],
  ["a.tex", [
    "%% [rest of document unchanged]",
  ]],
  ["a.md", [
    "*(rest of the document unchanged)*",
    "_... rest of section unchanged ..._",
    "... (rest of the file)",
    "(remaining sections unchanged)",
  ]],
  ["a.txt", [
    "[... rest of the text unchanged ...]",
  ]],
  ["a.json", [
    '"...": "..."',
    "  ...",
    '  "_comment": "rest unchanged",',
    "  // rest of the config",
    '  "...existing keys..."',
  ]],
  ["a.yaml", [
    "# (rest unchanged)",
    "...existing config...",
  ]],
  ["a.csv", [
    "... 200 more rows ...",
  ]],
  ["a.sql", [
    "/* existing columns */",
    "-- (rest of the schema stays the same)",
  ]],
  ["a.sol", [
    "// ... existing functions ...",
  ]],
  ["a.rs", [
    "    unimplemented!() // existing code",
    "    todo!() // ... existing code",
  ]],
  ["a.go", [
    "\t// ... (existing code)",
    "\t// [existing handlers]",
  ]],
  ["a.java", [
    "    // rest of class body",
    "    // ... other members unchanged ...",
  ]],
  ["a.cs", [
    "    // ... other members omitted ...",
  ]],
  ["a.cpp", [
    "// ... #includes unchanged ...",
    "// ... includes ...",
  ]],
  ["a.c", [
    "/* ... rest of main() ... */",
    "/* rest of main() unchanged */",
    "/* main() unchanged */",
    "// foo() and bar() unchanged",
  ]],
];

/** Lines that only look similar. */
const INNOCENT: readonly (readonly [string, readonly string[]])[] = [
  ["a.js", [
    "const [first, ...rest] = items;",
    "  ...args",
    "foo(...args, ...existing);",
    "return { ...state, ...rest };",
    "function log(...rest) {",
    "  ...existingConfig,",
    "  ...rest,",
    "// Merge the rest of the arguments into one list",
    "// the rest of the arguments are passed on",
    "// Keep existing connections alive while reloading",
    "// Existing users keep their password",
    "// existing entries win over new ones",
    "// Keep existing entries",
    "// Remaining bytes after the header",
    "// remaining = total - used",
    "// Returns the remaining time in ms",
    "// Unchanged rows are skipped",
    "return state; // unchanged",
    "case 1: // same as above",
    "// same as above, but for lines",
    "// The previous code used a timeout here, which raced",
    "// Previous implementation leaked the handle; see #123",
    '"// Rest of file remains unchanged"',
    "const PLACEHOLDER = '// ... existing code ...';",
    'throw new Error("rest of file remains unchanged");',
    "console.log('... existing code ...');",
    "assert(text.includes(`// rest of the code`));",
    "// Other fields are optional",
    "// Other methods",
    "// Other helpers",
    "// Original source: https://example.org/rest",
    "// TODO: handle the rest",
    "// TODO: ...",
    "// Loading...",
    "// Loading existing data...",
    "// ...but existing users keep access",
    "// ... and then the rest of the queue is drained before we stop",
    "// If the file is unchanged, return early",
    "// file unchanged, skip",
    "// Cursor position remains the same",
    "// the value stays the same for the lifetime of the document",
    "// Everything else is an error",
    "// no change in behaviour for callers that pass a string",
    "// No changes: nothing to write",
    "// omitted fields default to null",
    "// rest parameters",
    "// REST endpoint for users",
    "// rest of the string",
    "// rest of the path after the prefix",
    "// Skip the rest of the file",
    "// read the rest of the body",
    "// The rest of the file is generated by the build",
    "// Code here runs once per frame",
    "// Put the existing tab in front",
    "// Add existing members to the new group",
    "// more than one match",
    "// existing",
    "if (existing) { // already there",
    "for (const other of others) { // other tabs",
    "  // ...args are forwarded to the child",
    "// e.g. a, b, ...",
    "// [existing, added, removed]",
    "// Implementation notes",
    "// Implementation detail: we keep a heap",
    "// Keep in sync with the server",
    "// keep the rest for the next call",
    "// Truncated output says so",
    "// truncated",
    "const previous = code; // previous code",
    "/* The rest of this file is in the public domain */",
    " * Returns the rest of the list unchanged.",
    " * @param rest the rest of the arguments",
    " * existing code",
    "let x = a / b; // ratio of existing to total",
    "return `${text.slice(0, most)}...[truncated]`;",
    "// Answers are framed: <fd_content fd=… lines=…>",
    'const FRAME = /<fd_content fd="fd:1" /;',
    "// Showing lines is up to the caller",
    "// TODO: keep the order",
    "// TODO: existing members keep their role",
    "list[omitted]",
    "[omitted] = parts;",
    "// [truncated, total]",
    "// Output truncated at 8000 chars says so",
    "// 3 lines above the match",
    "// Same logic as above",
    "// Publisher implementation...",
  ]],
  ["a.tsx", ["<p>... existing users ...</p>", "{...props}", "<Component {...rest} />", "{/* Other tabs */}"]],
  ["a.py", [
    "...",
    "    ...",
    "def f(self): ...",
    "x: int = ...",
    "# Rest API client",
    "# existing rows are updated in place",
    "# the remaining columns are numeric",
    "print('# ... existing code ...')",
    "a[..., 0]",
    "# unchanged lines start with a blank",
    "# Remaining arguments go to the command.",
    "# everything else is ignored",
    "# keep the original order",
    "# same shape as before",
    "    # fall through to the rest of the loop",
    "# previous and next",
    "head, *rest = parts  # rest of the parts",
    "pass  # nothing to do",
  ]],
  ["a.html", [
    "<!-- Other languages -->",
    "<!-- existing users see this banner -->",
    "<p>The rest of the file remains unchanged.</p>",
  ]],
  ["a.css", ["/* Other breakpoints */", "/* Remaining space */", "/* override the existing theme */"]],
  ["a.sql", ["-- keep existing rows", "-- other tables", "-- the rest of the rows are archived"]],
  ["b.js", [
    "// Der Rest wird ignoriert",
    "// das bestehende Objekt bleibt unverändert",
    "// le reste de la liste est trié",
    "// el resto de los argumentos",
    "// остальные поля необязательны",
    "// 判断类名是否一致",
    "// 保持向后兼容的方法",
    "// 如果前半部分和定义的包名相同",
    "// 其他情况",
    "// 以下为辅助函数",
    "// 与其他方法保持一致的命名以便查找和维护",
    "// その他の設定",
    "// 기존 사용자",
    "// Copy the rest of the string",
    "// repeat until done",
    "function f(...args) {}",
    "const g = (...rest) => ({ ...rest });",
    "const s = `{ ... }`;",
    'throw new Error("{ ... }");',
    "// foo() returns the rest unchanged",
  ]],
  ["a.pl", ["sub f { ... }", "..."]],
  ["a.cpp", ["template <typename... Ts>", "catch (...) {", "f(args...);"]],
  ["b.json", ['  "loading": "...",', '  "comment": "existing users",']],
  ["a.lisp", [";; the rest of the list", "(rest list)", "; existing bindings win"]],
  ["a.sh", [
    "# rest of the arguments",
    "shift; rest=$*  # the rest",
    "# keep existing files",
    "echo '... rest of file unchanged ...'",
    "#!/bin/sh",
  ]],
  ["a.yaml", ["...", "# existing volume claims", "rest: unchanged", "# other hosts"]],
  ["a.json", ['  "rest": "unchanged",', '  "message": "... existing code ...",', '  "existing": true,']],
  ["a.toml", ["# Other settings", "# existing installations keep the old default"]],
  ["a.c", [
    "#define REST ...",
    "int log(const char *format, ...);",
    "/* remaining bytes */",
    "/* the rest is padding */",
    "#if 0 /* old code */",
  ]],
  ["a.go", [
    "func f(args ...string) {",
    "return append(a, rest...)",
    "// Rest returns the rest of the input.",
    "// existing keys are overwritten",
  ]],
  ["a.rs", [
    "let Point { x, .. } = p;",
    "[first, rest @ ..] => {",
    "/// Returns the remaining elements.",
    "// other variants are unreachable",
  ]],
  ["a.java", ["void f(String... rest) {", "// existing sessions are kept", "// Unchanged since 1.0"]],
  ["a.tex", ["% other packages", "The rest of this section is unchanged."]],
  ["a.md", [
    "# Rest of the document",
    "# Existing code",
    "## Unchanged",
    "- The rest of the API remains unchanged.",
    "The rest of the file remains unchanged.",
    "Everything else stays the same.",
    "* existing code",
    "1. ... and the rest",
    "[existing code](https://example.org)",
    "<https://example.org/existing code>",
  ]],
];

/** Whole texts in which a line that would be a placeholder alone is part of something longer. */
const INNOCENT_TEXTS: readonly (readonly [string, string])[] = [
  ["a.js", "// This is passed on to\n// the rest of the code\n// and then dropped.\nrun();\n"],
  ["a.go", "// sh reports 141, so the status is\n// unchanged.\nfunc f() {}\n"],
  ["a.js", "// Usage:\n//   start();\n//   // ...\n//   stop();\nstart();\n"],
  ["a.js", "// First the head:\n// ...\n// then the tail.\n"],
  ["a.rs", "/// ```\n/// // ... rest of the program ...\n///    // ... setup ...\n/// ```\nfn f() {}\n"],
  ["a.py", "# this one differs from\n# existing code\n# in one point\n"],
  ["a.md", "Text.\n```js\nfoo();\n// ... existing code ...\n```\n"],
];

function verdicts(corpus: typeof INNOCENT): [string, boolean][] {
  return corpus.flatMap(([fileName, lines]) =>
    lines.map((line): [string, boolean] => {
      // Of a file that had more lines: else bare dots are sample code.
      const found = placeholdersIn(line + "\n", fileName, "\n\n\n");
      return [`${fileName}: ${line}`, found.length > 0];
    })
  );
}

Deno.test("placeholders are found and similar lines pass, over the whole corpus", () => {
  const trues = verdicts([...PLACEHOLDERS, ...FURTHER]);
  const innocents: [string, boolean][] = [
    ...verdicts(INNOCENT),
    ...INNOCENT_TEXTS.map(([fileName, text]): [string, boolean] => [
      `${fileName}: ${text}`,
      placeholdersIn(text, fileName).length > 0,
    ]),
  ];
  const missed = trues.filter(([, found]) => !found).map(([line]) => line);
  const alarms = innocents.filter(([, found]) => found).map(([line]) => line);
  const hits = trues.length - missed.length;
  console.log(
    `placeholder corpus: ${trues.length} placeholders, ${innocents.length} look-alikes; ` +
      `precision ${(hits / (hits + alarms.length)).toFixed(3)}, recall ${(hits / trues.length).toFixed(3)}`,
  );
  assertEquals({ missed, alarms }, { missed: [], alarms: [] });
});

Deno.test("a placeholder line that the file already has is accepted", () => {
  const text = "a();\n  // ... existing code ...\nb();\n";
  assertEquals(placeholdersIn(text, "a.js", "// ... existing code ...\n"), []);
  assertEquals(placeholdersIn(text, "a.js").map((each) => each.lineNumber), [2]);
});

Deno.test("what sample code omits is a placeholder only if the file loses lines", () => {
  for (const line of ["// ...", "/* … */", "// unchanged", "fn f() { /* ... */ }", "// other options..."]) {
    const text = `a();\n${line}\n`;
    const found = ["", "x\n", "x\ny\n"].map((before) => placeholdersIn(text, "a.rs", before).length);
    assertEquals(found, [0, 0, 1], line);
  }
});

Deno.test("lines that were copied with their numbers are found, and tables are not", () => {
  const find = (text: string, fileName = "a.js", before = "") =>
    placeholdersIn(text, fileName, before).map((line) => line.text);
  const digest = '7:function f() {\n8:  return 1;\n9:}\n… lines 10-40: 31 like "x"\n41:end();\n';
  assertEquals(find(digest), ["7:function f() {", '… lines 10-40: 31 like "x"']);
  assertEquals(find("a();\n12:b();\n13:c();\n14:d();\ne();\n"), ["12:b();"]);
  assertEquals(find("12:b();\n13:\n14:d();\n", "a.txt"), ["12:b();"]);
  assertEquals(find("     1\ta\n     2\tb\n"), ["1\ta"]);
  assertEquals(find(" 1 | a\n 2 | b\n"), ["1 | a"]);
  assertEquals(find("    1→a\n    2→b\n"), ["1→a"]);
  for (
    const [text, fileName, before] of [
      ["1: one\n2: two\n3: three\n", "a.yaml"],
      ["200:ok\n404:missing\n500:broken\n", "a.txt"],
      ["x = {\n  1: 'a',\n  2: 'b',\n  3: 'c',\n}\n", "a.py"],
      ["1\tone\n2\ttwo\n3\tthree\n", "a.tsv"],
      ["Found:\n12:b();\n13:c();\n14:d();\n", "a.md"],
      ["12:b();\n", "a.js"],
      ["4:new\n5:words\n", "a.js", "1:a\n2:b\n"],
      ["a();\n12:b();\n13:c();\nd();\n", "a.js"],
    ] as const
  ) assertEquals(find(text, fileName, before), [], text);
});

Deno.test("of an edited file, only the new text is searched, as part of its lines", () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const find = (content: string, added: string, fileName = "a.js") => {
    const found = findPlaceholders({
      content: [encode(content)],
      added: [encode(added)],
      fileName,
      before: [],
    });
    return found.map(({ lineNumber }) => lineNumber);
  };
  assertEquals(find("a();\n// ... existing code ...\n", "... existing code ..."), [2]);
  assertEquals(find('log("... existing code ...");\n', "... existing code ..."), []);
  assertEquals(find("```js\n// ... existing code ...\n```\n", "// ... existing code ...\n", "a.md"), []);
  assertEquals(find("x\n7:a\n8:b\n", "7:a\n8:b\n"), [2]);
});

Deno.test("placeholder lines are numbered by rewrite's rule: CRLF and lone CR end a line", () => {
  const text = "a\r\nb\rc\n// rest of file unchanged\r\n";
  assertEquals(placeholdersIn(text, "a.js"), [{
    lineNumber: 4,
    text: "// rest of file unchanged",
  }]);
});

Deno.test("the placeholder check takes linear time for any line", () => {
  for (const piece of ["rest of the ", "... ", "the other code and ", "// ", "/* ", "existing code "]) {
    for (const sign of ["// ", "# ... ", "/* ", ""]) {
      const found = placeholdersIn(
        (sign + piece.repeat(500).slice(0, 290) + "x!\n").repeat(20),
        "a.js",
      );
      assert(Array.isArray(found));
    }
  }
});
