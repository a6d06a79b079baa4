import type { WorkflowTemplate } from "../workflow-template.ts";

/** The imports of the generated project are not those of this package. */
const TEST_IMPORT = ["import { expect, it } from", '"vitest";'].join(" ");

/** The versions are those of this repository; a test compares them. */
const MANIFEST = `{
  "private": true,
  "type": "module",
  "scripts": {
    "start": "segno run src/workflow.ts",
    "test": "vitest run",
    "check": "tsc"
  },
  "dependencies": {
    "segno": "^0.1.0"
  },
  "devDependencies": {
    "@types/node": "^24.19.2",
    "typescript": "^7.0.2",
    "vitest": "^5.1.0"
  }
}
`;

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "skipLibCheck": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true
  },
  "include": ["src", "test"]
}
`;

const WORKFLOW = `// A first workflow. Node.js runs this file directly, without a build step.
//   npx segno run src/workflow.ts
//   npx segno run src/workflow.ts --input '{"who":"Ada"}'

import { workflow } from "segno";

interface Visitor {
  readonly who?: string;
}

export const greeting = workflow<Visitor | null>("NAME")
  .step("greet", { retry: 3 }, ({ input }) => \`Hello, \${input?.who ?? "world"}\`)
  .step("count", { dependsOn: ["greet"] }, ({ outputs }) => outputs.greet.length)
  .step(
    "shout",
    { dependsOn: ["greet", "count"], when: ({ outputs }) => outputs.count > 3 },
    ({ outputs }) => \`\${outputs.greet.toUpperCase()}!\`,
  )
  .output(({ outputs: { greet, shout, count } }) => ({ text: shout ?? greet, letters: count }));
`;

const TEST = `import { openTestEngine } from "segno/testing";
${TEST_IMPORT}
import { greeting } from "../src/workflow.ts";

it("greets", async () => {
  await using test = await openTestEngine();
  const execution = await test.start(greeting, { who: "Ada" });
  expect(await execution.result()).toEqual({ text: "HELLO, ADA!", letters: 10 });
});
`;

export const BUILDER: WorkflowTemplate = {
  about: "a TypeScript project: a typed workflow and its test",
  isProject: true,
  files: {
    "src/workflow.ts": WORKFLOW,
    "test/workflow.test.ts": TEST,
    "package.json": MANIFEST,
    "tsconfig.json": TSCONFIG,
  },
  afterwards: [["show @last", "its steps and their outputs"]],
};
