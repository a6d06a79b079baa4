// The programs in the documents are the files in examples/. packed.test.ts runs them.

import { describe, expect, it } from "vitest";

import { documentPrograms, shownPrograms, splitWords } from "./document-programs.ts";
import { readText } from "./repository.ts";

const programs = shownPrograms();

describe("the documents", () => {
  it("have a README that shows at least one thing that is run", () => {
    const shown = programs.filter((program) => program.where.startsWith("README.md:"));
    expect(shown).not.toEqual([]);
  });

  it.each(programs.filter((program) => program.kind === "program"))("$where is a file of the examples", (program) => {
    expect(readText(program.file)).toBe(program.source);
  });
});

describe("the convention for programs in documents", () => {
  it("takes a marked ts block with the text block behind it", () => {
    const markdown =
      "```ts\n// examples/a.ts\nconsole.log(1);\n```\n\nprints\n\n```text\n1\n```\n\n```ts\nlet other;\n```\n";
    expect(documentPrograms("a.md", markdown)).toEqual([
      {
        kind: "program",
        where: "a.md:1",
        file: "examples/a.ts",
        source: "// examples/a.ts\nconsole.log(1);\n",
        prints: "1\n",
      },
    ]);
  });

  it("takes the commands of npx segno, also behind npm ci, and leaves the others alone", () => {
    const markdown = "```sh exit=3\n$ npm ci && npx segno plan a.yaml\n$ npm test\n$ npx segno validate b.yaml\n```\n";
    expect(documentPrograms("a.md", markdown)).toEqual([
      {
        kind: "commands",
        where: "a.md:1",
        commands: [
          ["plan", "a.yaml"],
          ["validate", "b.yaml"],
        ],
        exitCode: 3,
        prints: null,
      },
    ]);
  });

  it("splits words as a shell does", () => {
    expect(splitWords(`npx segno plan 'a b.yaml' --input '{"tag":"v1"}' x="y z" # why`)).toEqual([
      "npx",
      "segno",
      "plan",
      "a b.yaml",
      "--input",
      '{"tag":"v1"}',
      "x=y z",
    ]);
  });
});
