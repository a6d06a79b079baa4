// Modules as agents in the engine's own process.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import type { Agent } from "../../src/agents/agent.ts";
import { MainThreadRunner } from "../../src/runners/main-thread-runner.ts";
import { moduleAgent } from "../../src/runners/module-agent.ts";
import { SampleAttempt, type AttemptSketch } from "./sample-attempt.ts";
import { toFailure, toOutput, useThreadFixture } from "./thread-fixture.ts";

const fixture = useThreadFixture();

const AGENT = new URL("../../src/agents/agent.ts", import.meta.url).href;

class OwnAttempt extends SampleAttempt {
  override readonly mainThreadAgent: never;

  constructor(agent: Agent, sketch?: AttemptSketch) {
    super(sketch);
    this.mainThreadAgent = agent as never;
  }
}

function start(agent: Agent, sketch?: AttemptSketch): SampleAttempt & { abort(reason: string): void } {
  const attempt = new OwnAttempt(agent, sketch);
  const running = new MainThreadRunner(new SystemEnvironment()).start(attempt);
  return Object.assign(attempt, { abort: (reason: string) => running.abort(false, reason) });
}

describe("a module in this process", () => {
  it("CONTRACT-10 is loaded when it is first needed, and once", async () => {
    const path = fixture.module(`globalThis.moduleLoads = (globalThis.moduleLoads ?? 0) + 1;
      export const a = (input) => [input, globalThis.moduleLoads], b = () => globalThis.moduleLoads;`);
    const [a, again, b] = [moduleAgent(path, "a"), moduleAgent(path, "a"), moduleAgent(path, "b")];
    expect(Reflect.get(globalThis, "moduleLoads")).toBeUndefined();
    const all = [start(a, { input: "x" }), start(again, { input: "y" }), start(b), start(b)];
    expect((await Promise.all(all.map(({ outcome }) => outcome))).map(toOutput)).toEqual([["x", 1], ["y", 1], 1, 1]);
    Reflect.deleteProperty(globalThis, "moduleLoads");
  });

  it("FAIL-2 that could not be loaded is loaded again by the next attempt (AGENT_MODULE_INVALID)", async () => {
    const path = join(fixture.folder, "later.mjs");
    const agent = moduleAgent(path, "default");
    expect(toFailure(await start(agent).outcome)).toMatchObject({ class: "permanent", code: "AGENT_MODULE_MISSING" });
    writeFileSync(path, "throw new Error('not yet');");
    expect(toFailure(await start(agent).outcome)).toMatchObject({ class: "transient", code: "AGENT_MODULE_INVALID" });
    writeFileSync(path, "export default () => 'now';");
    expect(toOutput(await start(agent).outcome)).toBe("now");
  });

  it("FAIL-1 without the export fails with a list of its exports (AGENT_MODULE_INVALID)", async () => {
    const path = fixture.module("export const resize = () => 1;");
    const failure = toFailure(await start(moduleAgent(path, "resizes")).outcome);
    expect(failure).toMatchObject({ class: "permanent", code: "AGENT_MODULE_INVALID" });
    expect(failure.message).toContain("it exports `resize`; did you mean `resize`?");
  });

  it("CANCEL-1 is not called if its attempt was stopped while it was loading", async () => {
    const path = fixture.module(`await new Promise((resolve) => setImmediate(resolve));
      export default (input, { log }) => log.info("called");`);
    const attempt = start(moduleAgent(path, "default"));
    await Promise.resolve();
    attempt.abort("enough");
    expect(toFailure(await attempt.outcome)).toMatchObject({ class: "cancelled", message: "enough" });
    expect(attempt.lines).toEqual([]);
  });

  it("FAIL-4 has its agent's timeout once it is loaded", async () => {
    const path = fixture.module(`import { BaseAgent } from ${JSON.stringify(AGENT)};
      export default class extends BaseAgent { perform(input) { return input; } }`);
    const agent = moduleAgent(path, "default");
    expect([agent.timeoutMs, agent.needsDependencyOutputs]).toEqual([undefined, true]);
    expect(toOutput(await start(agent, { input: 5 }).outcome)).toBe(5);
    expect([agent.timeoutMs, agent.needsDependencyOutputs]).toEqual([30_000, false]);
  });
});
