// Modules as agents: how they are found and loaded, and the failures of those that cannot be. They run on threads, so
// that Node.js loads them and not the test runner.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modulePath } from "../../src/runners/module-path.ts";
import { toFailure, toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

const AGENT = new URL("../../src/agents/agent.ts", import.meta.url).href;

describe("a module", () => {
  it("CONTRACT-10 in TypeScript with a named export runs without a build", async () => {
    const path = fixture.module("export const double = (input: number): number => input * 2;", "double.ts");
    expect(toOutput(await fixture.start(path, { exportName: "double", input: 21 }).attempt.outcome)).toBe(42);
  });

  it("CONTRACT-10 in CommonJS runs by its default export", async () => {
    const path = fixture.module("module.exports = (input) => input + 1;", "next.cjs");
    expect(toOutput(await fixture.start(path, { input: 1 }).attempt.outcome)).toBe(2);
  });

  it("CONTRACT-10 with a top-level await is loaded once", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(`const loads = await new Promise((resolve) => setImmediate(() => {
        globalThis.loads = (globalThis.loads ?? 0) + 1;
        resolve(globalThis.loads);
      }));
      export const a = () => loads, b = () => loads;`);
    const all = ["a", "b", "a"].map((exportName) => fixture.start(path, { exportName }).attempt.outcome);
    expect((await Promise.all(all)).map(toOutput)).toEqual([1, 1, 1]);
  });

  it("CANCEL-1 may export an agent or an agent class: constructed once, cleaned up after every attempt", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module(`import { BaseAgent } from ${JSON.stringify(AGENT)};
      let made = 0, cleaned = 0;
      export class Counter extends BaseAgent {
        constructor() { super(); made++; }
        perform(input, context) { return { made, cleaned, input, isSame: context.input === input }; }
        cleanup() { cleaned++; }
      }
      export const gatherer = { execute: (outputs, context) => ({ outputs, step: context.step.id }) };`);
    for (const cleaned of [0, 1]) {
      const { attempt } = fixture.start(path, { exportName: "Counter", input: 7 });
      expect(toOutput(await attempt.outcome)).toEqual({ made: 1, cleaned, input: 7, isSame: true });
    }
    const { attempt } = fixture.start(path, { exportName: "gatherer", outputs: { before: [1] } });
    expect(toOutput(await attempt.outcome)).toEqual({ outputs: { before: [1] }, step: "step-1" });
  });
});

describe("a module that cannot be loaded", () => {
  it("FAIL-1 because it does not exist is a permanent failure (AGENT_MODULE_MISSING)", async () => {
    const path = join(fixture.folder, "missing.mjs");
    const failure = toFailure(await fixture.start(path).attempt.outcome);
    expect(failure).toMatchObject({ class: "permanent", code: "AGENT_MODULE_MISSING" });
    expect(failure.message).toContain(`${path} cannot be loaded: there is no such file`);
  });

  it("FAIL-1 because of its syntax is a permanent failure (AGENT_MODULE_INVALID)", async () => {
    const path = fixture.module("export default () => 1;\n\nconst = 3;\n");
    const failure = toFailure(await fixture.start(path).attempt.outcome);
    expect(failure).toMatchObject({ class: "permanent", code: "AGENT_MODULE_INVALID", cause: { code: "SyntaxError" } });
    expect(failure.message).toContain(`${path} cannot be loaded: Unexpected token`);
  });

  it("FAIL-1 because it imports a missing module is a permanent failure (AGENT_MODULE_MISSING)", async () => {
    const path = fixture.module('import "./nowhere.mjs"; export default () => 1;');
    const failure = toFailure(await fixture.start(path).attempt.outcome);
    expect(failure).toMatchObject({ class: "permanent", code: "AGENT_MODULE_MISSING" });
    expect(failure.message).toContain("nowhere.mjs");
  });

  it.each([
    ["transient", "Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })"],
    ["permanent", "new TypeError('refused')"],
  ])("FAIL-1 because of what its own code throws is %s by that error (AGENT_MODULE_INVALID)", async (kind, error) => {
    const path = fixture.module(`throw ${error}; export default () => 1;`);
    const failure = toFailure(await fixture.start(path).attempt.outcome);
    expect(failure).toMatchObject({ class: kind, code: "AGENT_MODULE_INVALID", cause: { message: "refused" } });
  });

  it("FAIL-2 is loaded again by the next attempt, with its imports", async () => {
    fixture.setUp({ size: 1 });
    const path = fixture.module('import { answer } from "./answer.mjs"; export default () => answer;');
    const part = fixture.module("throw new Error('not yet'); export const answer = 1;", "answer.mjs");
    expect(toFailure(await fixture.start(path).attempt.outcome).code).toBe("AGENT_MODULE_INVALID");
    writeFileSync(part, "export const answer = 42;");
    expect(toOutput(await fixture.start(path).attempt.outcome)).toBe(42);
  });
});

describe("an export that cannot be used", () => {
  it.each([
    ["resise", "has no export `resise`; it exports `crop`, `resize`; did you mean `resize`?"],
    ["default", "has no export `default`; it exports `crop`, `resize`"],
    ["crop", "`crop` of the agent module", "but number"],
  ])(
    "FAIL-1 is a permanent failure that lists the exports: %s (AGENT_MODULE_INVALID)",
    async (exportName, ...texts) => {
      const path = fixture.module("export const resize = () => 1, crop = 2;");
      const failure = toFailure(await fixture.start(path, { exportName }).attempt.outcome);
      expect(failure).toMatchObject({ class: "permanent", code: "AGENT_MODULE_INVALID" });
      for (const text of [path, ...texts]) expect(failure.message).toContain(text);
    },
  );

  it.each([
    ["nothing at all", "export {};", "it has no exports"],
    ["a class that is no agent", "export { A as default }; class A {}", "class without a method `execute`"],
    [
      "a class that needs arguments",
      "export { A as default }; class A { constructor(a) {} execute() {} }",
      "arguments",
    ],
    [
      "a class that throws",
      "export { A as default }; class A { constructor() { null.x } execute() {} }",
      "constructed",
    ],
  ])("FAIL-1 is a permanent failure: %s (AGENT_MODULE_INVALID)", async (_, text, message) => {
    const failure = toFailure(await fixture.start(fixture.module(text)).attempt.outcome);
    expect(failure).toMatchObject({ class: "permanent", code: "AGENT_MODULE_INVALID" });
    expect(failure.message).toContain(message);
  });
});

describe("a module's name", () => {
  it("CONTRACT-10 is a path relative to the folder, a file URL, or an absolute path", () => {
    const { folder } = fixture;
    expect(modulePath(folder, "./a.js")).toBe(join(folder, "a.js"));
    expect(modulePath(join(folder, "flows"), "../a.js")).toBe(join(folder, "a.js"));
    expect(modulePath("elsewhere", join(folder, "a.js"))).toBe(join(folder, "a.js"));
    expect(modulePath("elsewhere", new URL(`file://${folder}/a.js`).href)).toBe(join(folder, "a.js"));
  });

  it("CONTRACT-10 is a package visible from the folder, by its import condition", async () => {
    const manifest = {
      name: "images",
      type: "module",
      exports: { ".": { import: "./main.js", require: "./old.cjs" } },
    };
    fixture.module(JSON.stringify(manifest), "node_modules/images/package.json");
    const file = fixture.module("export default () => 'from a package';", "node_modules/images/main.js");
    const path = modulePath(join(fixture.folder, "flows"), "images");
    expect(path).toBe(file);
    expect(toOutput(await fixture.start(path).attempt.outcome)).toBe("from a package");
    expect(() => import.meta.resolve(manifest.name)).toThrow();
  });

  it("FAIL-1 that cannot be resolved fails the attempt", async () => {
    fixture.setUp({
      modules: {
        resolve: () => {
          throw new TypeError("no module for it");
        },
      },
    });
    const { attempt } = fixture.start("");
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "permanent", message: "no module for it" });
    await fixture.runner.idle();
    expect(attempt.calls).toEqual(["end", "exited"]);
  });

  it("FAIL-1 that is not a package fails the attempt that needs it, and nothing before (AGENT_MODULE_MISSING)", async () => {
    const path = modulePath(fixture.folder, "no-such-package");
    expect(existsSync(path)).toBe(false);
    expect(toFailure(await fixture.start(path).attempt.outcome)).toMatchObject({
      class: "permanent",
      code: "AGENT_MODULE_MISSING",
    });
    expect(toFailure(await fixture.start(modulePath(fixture.folder, "node:fs")).attempt.outcome).code).toBe(
      "AGENT_MODULE_MISSING",
    );
  });
});
