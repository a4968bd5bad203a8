/** gcc, g++, clang, make, cmake, ninja, ctest, valgrind, gdb, sanitizers, strace. */

import { makefileOfC, manyFiles, repeat, word, type WrittenCase } from "../corpus_case.ts";

/** C with unused parameters and comparisons of different signs, for -Wall -Wextra. */
function untidyC(number: number, count: number): string {
  return repeat(
    count,
    (part) =>
      `int ${
        word(number)
      }_${part}(int first, unsigned second, int spare)\n{\n    int left;\n    if (first < second) return 1;\n    return 0;\n}\n`,
  );
}

const MAKEFILE_OF_PROGRAMS =
  "SRC=$(sort $(wildcard src/*.c))\nall: $(SRC:src/%.c=bin/%)\n\nbin/%: src/%.c\n" +
  "\tgcc -O2 -g -fPIC -DNDEBUG -D_GNU_SOURCE -I/usr/include/x86_64-linux-gnu -Iinclude -Wno-unused -o $@ $< -lm -lpthread\n";

export const C_CASES: readonly WrittenCase[] = [
  {
    name: "gcc-one-error-among-3000-warnings",
    facts: ["src/ledger.c:4:15: error: ‘struct entry’ has no member named ‘ammount’"],
    files: () => ({
      ...manyFiles(50, "src/*.c", (_, number) => untidyC(number, 15)),
      "src/ledger.c":
        `struct entry { long amount; };\nlong sum(struct entry *e)\n{\n    return e->ammount;\n}\n`,
      Makefile: makefileOfC("gcc -Wall -Wextra"),
    }),
    command: "make -k",
  },
  {
    name: "gcc-coloured-error-among-warnings",
    facts: ["src/gateway.c:3:5: error: too few arguments to function ‘post’"],
    files: () => ({
      ...manyFiles(45, "src/*.c", (_, number) => untidyC(number, 12)),
      "src/gateway.c": `int post(int route, int weight);\nint main(void) {\n    post(4);\n    return 0;\n}\n`,
      Makefile: makefileOfC("gcc -Wall -Wextra -fdiagnostics-color=always"),
    }),
    command: "make -k -j2",
  },
  {
    name: "clang-error-among-warnings",
    facts: ["src/parcel.c:5:12: error: use of undeclared identifier 'wieght'"],
    files: () => ({
      ...manyFiles(45, "src/*.c", (_, number) => untidyC(number, 8)),
      "src/parcel.c":
        `int volume(int weight)\n{\n    if (weight < 0)\n        return 0;\n    return wieght * 3;\n}\n`,
      Makefile: makefileOfC("clang -Weverything -fcolor-diagnostics"),
    }),
    command: "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES; make -k",
  },
  {
    name: "make-one-target-of-300-fails",
    facts: ["undefined reference to `audit_trail'", "[Makefile:5: bin/index] Error 1"],
    files: () => ({
      ...manyFiles(
        100,
        "src/*.c",
        (name, number) =>
          name === "index"
            ? `int audit_trail(int);\nint main(void) { return audit_trail(3); }\n`
            : `int main(void) { return ${number % 2}; }\n`,
      ),
      Makefile: MAKEFILE_OF_PROGRAMS,
    }),
    command: "mkdir bin include; make -k -j2",
  },
  {
    name: "make-builds-everything",
    sound: true,
    files: () => ({
      ...manyFiles(90, "src/*.c", (_, number) => `int main(void) { return ${number % 2}; }\n`),
      Makefile: MAKEFILE_OF_PROGRAMS,
    }),
    command: "mkdir bin include; make -j2",
  },
  {
    name: "cmake-error-among-deprecations",
    facts: [
      "CMake Error at modules/payment/CMakeLists.txt:",
      'Could not find a package configuration file provided by "LibSettle"',
    ],
    files: () => ({
      "CMakeLists.txt": `cmake_minimum_required(VERSION 3.10)\nproject(shop C)\n` +
        repeat(90, (part) => `add_subdirectory(modules/${part})`) + "\n",
      ...manyFiles(
        90,
        "modules/*/CMakeLists.txt",
        (name) =>
          (name === "payment" ? "# settlement\nfind_package(LibSettle REQUIRED CONFIG)\n" : "") +
          `message(STATUS "Configuring ${name}: tests on, docs off")\n` +
          `message(DEPRECATION "${name}: add_flags() is deprecated, use target_compile_options()")\n`,
      ),
    }),
    command: "cmake -S . -B build",
  },
  {
    name: "ninja-build-one-fails-coloured",
    facts: ["FAILED: CMakeFiles/shop.dir/src/label.c.o", "src/label.c:2:32: error: ‘witdh’ undeclared"],
    files: () => ({
      "CMakeLists.txt":
        `cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nfile(GLOB SRC src/*.c)\nadd_library(shop \${SRC})\n` +
        `target_compile_options(shop PRIVATE -Wall -Wextra -fdiagnostics-color=always)\n`,
      ...manyFiles(80, "src/*.c", (_, number) => untidyC(number, 3)),
      "src/label.c": `int area(int width, int height)\n{ return height > 0 ? height * witdh : width; }\n`,
    }),
    command: "cmake -G Ninja -S . -B build >/dev/null; script -qec 'ninja -C build -k 0 -j 2 -v' /dev/null",
  },
  {
    name: "strace-of-ls-in-order",
    sound: true,
    facts: ["+++ exited with 0 +++"],
    files: () => manyFiles(200, "*.txt", () => "x\n"),
    command: "strace ls -l",
  },
];
