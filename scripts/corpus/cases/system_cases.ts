/** Files, archives, checksums, processes and packages of the system. */

import { manyFiles, repeat, word, type WrittenCase } from "../corpus_case.ts";

/** File names that hold the words that failures hold. */
function errorNames(count: number): Record<string, string> {
  const kinds = ["error", "failed", "exception", "fatal", "warning"];
  return manyFiles(
    count,
    (_, number) => `logs/${kinds[number % 5]}-${word(number % 97)}-${String(number).padStart(4, "0")}.txt`,
    () => "x\n",
  );
}

export const SYSTEM_CASES: readonly WrittenCase[] = [
  {
    name: "tar-of-2000-error-files-one-unreadable",
    question: "which file was ignored by the archive",
    facts: ["tar: ./logs/error-ledger.sock: socket ignored"],
    files: () => ({
      ...errorNames(2000),
      "bind.py": `import socket\nsocket.socket(socket.AF_UNIX).bind("logs/error-ledger.sock")\n`,
    }),
    command: "python3 bind.py; rm bind.py; tar --sort=name -cvf ../archive.tar . ; rm ../archive.tar",
  },
  {
    name: "tar-lists-2000-error-files",
    sound: true,
    files: () => errorNames(2000),
    command: "tar --sort=name -cvf ../archive.tar . ; rm ../archive.tar",
  },
  {
    name: "unzip-test-one-bad-crc",
    facts: ["bad CRC", "docs/loan.txt"],
    files: () => manyFiles(200, "docs/*.txt", (name) => repeat(20, (part) => `${name} ${part}`)),
    command: `find docs | sort | zip -q0 all.zip -@; python3 - <<'END'
data = bytearray(open("all.zip", "rb").read())
at = data.index(b"loan account")
data[at:at + 4] = b"lean"
open("all.zip", "wb").write(data)
END
unzip -t all.zip`,
  },
  {
    name: "find-follows-a-loop-among-error-names",
    question: "is there a loop of directories",
    facts: [
      "find: File system loop detected; ‘./logs/exception-up’ is part of the same file system loop as ‘.’",
    ],
    files: () => errorNames(1500),
    command: "ln -s .. logs/exception-up; find -L . ",
  },
  {
    name: "rsync-one-directory-in-the-way",
    facts: ["cannot delete non-empty directory: logs/fatal-", "could not make way for"],
    files: () => errorNames(1200),
    command:
      "export LD_LIBRARY_PATH=$UNPACKED_LIBRARIES; name=$(cd logs; ls | sed -n 800p); mkdir -p copy/logs/$name/inside; touch copy/logs/$name/inside/x; rsync -av --no-times logs copy/",
  },
];
