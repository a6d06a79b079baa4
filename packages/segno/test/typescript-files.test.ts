// Workflows in TypeScript files, as the command runs, plans, draws and checks them.

import { rename } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CommandFixture } from "./command-fixture.ts";
import { writeModules } from "./module-fixture.ts";

const RELEASE = `
import { child, shell, workflow } from "segno";

interface Release { readonly tag: string }

const pack = workflow<{ path: string }>("pack").step("zip", ({ input }) => input.path + ".zip").output(({ outputs }) => outputs.zip);

export const release = workflow<Release>("release")
  .step("build", ({ input }) => ({ path: \`dist/\${input.tag}\` }))
  .step("notes", { dependsOn: ["build"], when: "input.tag == 'v1'" }, shell("echo notes"))
  .step("pack", { dependsOn: ["build"], input: "\${ steps.build.output }" }, child(pack))
  .output(({ outputs }) => ({ file: outputs.pack }));
`;

const MODULES = {
  "src/release.ts": RELEASE,
  "main.mjs": 'import { workflow } from "segno";\nexport default workflow("main").step("one", () => 1);\n',
  "checked.mts":
    'import { workflow } from "segno";\nimport { z } from "zod";\n' +
    'export const checked = workflow("checked", { input: z.object({ tag: z.string().default("v0") }) })\n' +
    '  .step("next", { when: "input.tag == \'v0\'" }, () => 1).output(({ input }) => input.tag);\n',
  "two.ts":
    'import { workflow } from "segno";\nexport const a = workflow("a").step("s", () => 1);\n' +
    'export const b = workflow("b").step("s", () => 1);\nexport { a as again };\n',
  "none.ts": "export const answer = 42;\n",
  "empty.ts": "export {};\n",
  "boom.ts": '// The first line.\nthrow new TypeError("boom");\n',
  "inner.ts": 'import "./boom.ts";\nexport {};\n',
  "enum.ts": "export enum Colour {\n  Red,\n}\n",
  "torn.ts": 'import { gone } from "./gone.ts";\nexport const all = gone;\n',
  "wrong.ts":
    'import { workflow } from "segno";\nexport default workflow("a b")\n  .step("s", () => 1)\n  .output(() => 1);\n',
  "lazy.ts": 'import { workflow } from "segno";\nexport default workflow("a b").step("s", () => 1);\n',
  "waiting.ts":
    'import { waitForSignal, workflow } from "segno";\nexport const waiting = workflow("waiting")\n' +
    '  .step("first", () => "first").step("gate", { dependsOn: ["first"] }, waitForSignal<string>("go"))\n' +
    '  .step("last", { dependsOn: ["first", "gate"] }, ({ outputs }) => [outputs.first, outputs.gate])\n' +
    "  .output(({ outputs }) => outputs.last);\n",
};

let shop: CommandFixture;
beforeAll(async () => {
  shop = await CommandFixture.open();
  await writeModules(shop, MODULES);
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("a workflow in a TypeScript file", () => {
  it("CONTRACT-1 runs with its input, its children and its commands", async () => {
    const run = await shop.run(["run", "src/release.ts", "--input", '{"tag":"v1"}', "--json"]);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(run.stdout)).toMatchObject({ workflow: "release", output: { file: "dist/v1.zip" } });
  });

  it("CONTRACT-1 is planned, drawn and checked like a contract", async () => {
    const plan = await shop.run(["plan", "src/release.ts", "--input", '{"tag":"v2"}']);
    expect(plan).toMatchObject({ exitCode: 0 });
    expect(plan.stdout).toMatch(/notes +run/u);
    expect(plan.stdout).toMatch(/notes.*\n.*skipped/u);
    const graph = await shop.run(["graph", "src/release.ts#release"]);
    expect(graph).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('["notes<br/>run: echo notes"]') });
    expect(await shop.run(["validate", "main.mjs", "src/release.ts"])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^ok main\.mjs main, 1 step, .*\nok src\/release\.ts release, 3 steps, /u),
    });
  });

  it("DATA-3 has its input checked and converted by its own schema, for a run and for a plan", async () => {
    expect(await shop.run(["run", "checked.mts"])).toMatchObject({ exitCode: 0, stdout: '"v0"\n' });
    const refused = await shop.run(["run", "checked.mts", "--input", '{"tag":1}']);
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("INPUT_INVALID") });
    expect(refused.stderr).toContain("tag: ");
    expect((await shop.run(["plan", "checked.mts", "--input", "{}"])).stdout).not.toContain("skipped");
    expect(await shop.run(["plan", "checked.mts", "--input", "3"])).toMatchObject({ exitCode: 3 });
  });
});

describe("an execution of a workflow in a TypeScript file", () => {
  it("FAIL-9 continues after a crash in a worker, which finds the functions by the module in the definition", async () => {
    const running = shop.start(["run", "waiting.ts", "--id", "crashed"]);
    await running.reports(/gate waits/u);
    running.send("SIGKILL");
    await running.ended;
    await shop.run(["signal", "crashed", "go", "--payload", '"paid"']);
    expect(await shop.run(["work", "--until-idle"])).toMatchObject({ exitCode: 0 });
    expect(await shop.json("show", "crashed")).toMatchObject({ status: "completed", output: ["first", "paid"] });
  });

  it("FAIL-9 AGENT_MODULE_MISSING is parked while its module is not there, says which, and continues when it is", async () => {
    const running = shop.start(["run", "waiting.ts", "--id", "moved"]);
    await running.reports(/gate waits/u);
    running.send("SIGKILL");
    await running.ended;
    await rename(shop.path("waiting.ts"), shop.path("elsewhere.ts"));
    await shop.run(["signal", "moved", "go", "--payload", '"paid"']);
    const bare = await shop.run(["work", "--until-idle"]);
    expect(bare.stderr).toMatch(
      /the agent module \S+\/waiting\.ts cannot be loaded: there is no such file or package/u,
    );
    expect(await shop.json("show", "moved")).toMatchObject({ status: "parked" });
    await rename(shop.path("elsewhere.ts"), shop.path("waiting.ts"));
    expect(await shop.run(["work", "--until-idle"])).toMatchObject({ exitCode: 0 });
    expect(await shop.json("show", "moved")).toMatchObject({ status: "completed" });
  });

  it("runs in the background with --detach", async () => {
    const { stdout } = await shop.run(["run", "src/release.ts", "--input", '{"tag":"v1"}', "--detach"]);
    const watch = await shop.run(["watch", stdout.trim(), "--json"]);
    expect(watch).toMatchObject({ exitCode: 0 });
  });
});

describe("a module that is not a workflow is refused", () => {
  it.each([
    ["a missing file", "gone.ts", "gone.ts:1:1 WORKFLOW_MODULE_MISSING\n  there is no file gone.ts"],
    [
      "an error of its code, with its line",
      "boom.ts",
      "boom.ts:2:7 WORKFLOW_MODULE_FAILED\n  the module cannot be imported: TypeError: boom\n",
    ],
    [
      "an error in a module that it imports",
      "inner.ts",
      'boom.ts:2:7 WORKFLOW_MODULE_FAILED\n  the module cannot be imported: TypeError: boom\n  1 | // The first line.\n> 2 | throw new TypeError("boom");',
    ],
    [
      "syntax that needs a compiler",
      "enum.ts",
      "enum.ts:1:1 WORKFLOW_MODULE_FAILED\n  the module cannot be imported: SyntaxError: TypeScript enum is not supported in strip-only mode",
    ],
    ["an import that is not there", "torn.ts", "ERR_MODULE_NOT_FOUND"],
    ["no workflow", "none.ts", "WORKFLOW_EXPORT_MISSING\n  none.ts exports no workflow: it exports `answer`"],
    ["no export", "empty.ts", "WORKFLOW_EXPORT_MISSING\n  empty.ts exports no workflow: it exports nothing"],
    [
      "two workflows",
      "two.ts",
      "WORKFLOW_EXPORT_AMBIGUOUS\n  two.ts exports 3 workflows; choose one of two.ts#a, two.ts#again, two.ts#b",
    ],
    [
      "another export",
      "two.ts#aa",
      "WORKFLOW_EXPORT_MISSING\n  two.ts has no workflow `aa`: it exports `a`, `again`, `b`; did you mean `a`?",
    ],
    ["a workflow that cannot be built, with its line", "wrong.ts", "wrong.ts:4:4 DEFINITION_INVALID"],
    ["one that is built at its first use", "lazy.ts", "lazy.ts:1:1 DEFINITION_INVALID"],
  ])("%s", async (_, file, message) => {
    expect(await shop.run(["validate", file])).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(message) });
  });

  it("for every command, before anything starts", async () => {
    for (const command of ["run", "plan", "graph"])
      expect(await shop.run([command, "boom.ts"])).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining("boom.ts:2:7 WORKFLOW_MODULE_FAILED"),
      });
  });

  it("reports the findings of several files as JSON", async () => {
    const run = await shop.run(["validate", "boom.ts", "src/release.ts", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      ok: false,
      files: [
        { file: "boom.ts", ok: false, problems: [{ code: "WORKFLOW_MODULE_FAILED", line: 2, column: 7 }] },
        { file: "src/release.ts", ok: true, workflow: "release" },
      ],
    });
  });
});
