/** javac, Maven with JUnit, and Java programs. */

import { manyFiles, repeat, type WrittenCase } from "../corpus_case.ts";

/** `shop_order` as a class is called: `ShopOrder`. */
export function pascal(text: string): string {
  return text.split("_").map((part) => part.slice(0, 1).toUpperCase() + part.slice(1)).join("");
}

/** A project with JUnit, and `extra` dependencies. */
export function pom(extra = ""): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>shop</artifactId><version>1.0</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version><scope>test</scope></dependency>
    ${extra}
  </dependencies>
  <build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build>
</project>
`;
}

/** Tests of 45 classes that pass, but for one of the class that is named. */
function junitClasses(wrong = ""): Record<string, string> {
  const testOf = (name: string) =>
    `package shop;\n\nimport static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.Test;\n\nclass ${
      pascal(name)
    }Test {\n` +
    repeat(
      5,
      (part, at) =>
        `    @Test void adds${pascal(part)}() {\n        System.out.println("${
          pascal(name)
        }: opened ${part}, 3 rows read");\n        assertEquals(${at * 2}, Cart.twice(${at}));\n    }`,
    ) +
    (name === wrong
      ? `\n    @Test void bulkDiscount() {\n        assertEquals(47500, Cart.total(1250, 40), "forty pallets");\n    }`
      : "") +
    `\n}\n`;
  return manyFiles(45, (name) => `src/test/java/shop/${pascal(name)}Test.java`, testOf);
}

const CART =
  `package shop;\n\npublic class Cart {\n    public static int twice(int value) { return value * 2; }\n    public static int total(int cents, int count) { return cents * count; }\n}\n`;

export const JAVA_CASES: readonly WrittenCase[] = [
  {
    name: "maven-test-one-failure",
    facts: ["forty pallets ==> expected: <47500> but was: <50000>", "FreightTest.java:"],
    files: () => ({ "pom.xml": pom(), "src/main/java/shop/Cart.java": CART, ...junitClasses("freight") }),
    command: "mvn -B -Dstyle.color=always -Dsurefire.runOrder=alphabetical test",
  },
  {
    name: "maven-test-passes",
    sound: true,
    facts: ["BUILD SUCCESS"],
    files: () => ({ "pom.xml": pom(), "src/main/java/shop/Cart.java": CART, ...junitClasses() }),
    command: "mvn -B -Dsurefire.runOrder=alphabetical test",
  },
  {
    name: "javac-one-error-among-warnings",
    facts: ["src/Loan.java:4: error: incompatible types: String cannot be converted to int"],
    files: () => ({
      ...manyFiles(
        75,
        (name) => `src/${pascal(name)}.java`,
        (name) =>
          `import java.util.*;\n\npublic class ${pascal(name)} {\n` +
          repeat(
            5,
            (part, at) =>
              `    public static List ${part}(List values) {\n        values.add(new Integer(${at}));\n        return (List<String>) values;\n    }`,
          ) +
          `\n}\n`,
      ),
      "src/Loan.java":
        `public class Loan {\n    /** In percent. */\n    public static int rate(String text) {\n        int rate = text.trim();\n        return rate;\n    }\n}\n`,
    }),
    command: "ls src/*.java | sort >files; javac -Xlint:all -Xmaxwarns 9999 -Xmaxerrs 999 -d out @files",
  },
];
