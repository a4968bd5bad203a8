/** go build, vet, test, and Go programs. */

import { repeat, word, type WrittenCase } from "../corpus_case.ts";

const MODULE = "module example.com/shop\n\ngo 1.21\n";

function title(text: string): string {
  return text.split("_").map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join("");
}

/** A package with a table test of `rows` subtests; row `wrongAt` expects another value. */
function tablePackage(number: number, rows: number, wrongAt = -1): Record<string, string> {
  const name = word(number);
  return {
    [`${name}/${name}.go`]: `package ${name}\n\nfunc Double(value int) int { return value * 2 }\n`,
    [`${name}/${name}_test.go`]: `package ${name}

import "testing"

func Test${title(name)}Doubles(t *testing.T) {
	rows := []struct {
		name        string
		value, want int
	}{
${repeat(rows, (part, at) => `		{"${part}_${at}", ${at}, ${at === wrongAt ? at * 2 + 1 : at * 2}},`)}
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := Double(row.value); got != row.want {
				t.Errorf("Double(%d) = %d, want %d", row.value, got, row.want)
			}
		})
	}
}
`,
  };
}

function tablePackages(count: number, rows: number, wrong = ""): Record<string, string> {
  const all = Array.from(
    { length: count },
    (_, number) => tablePackage(number, rows, word(number) === wrong ? 17 : -1),
  );
  return Object.assign({ "go.mod": MODULE }, ...all);
}

export const GO_CASES: readonly WrittenCase[] = [
  {
    name: "go-test-verbose-one-subtest-fails",
    question: "which customer's coupon was doubled wrongly",
    facts: ["--- FAIL: TestCouponDoubles/customer_17", "Double(17) = 34, want 35"],
    files: () => tablePackages(24, 40, "coupon"),
    command: "go test -v ./...",
  },
  {
    name: "go-test-verbose-passes",
    sound: true,
    files: () => tablePackages(12, 60),
    command: "go test -v ./...",
  },
];
