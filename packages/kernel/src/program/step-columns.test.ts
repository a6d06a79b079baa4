import { describe, expect, it } from "vitest";
import { map, step, workflow, type Rest } from "../../test/properties/written-steps.ts";
import { durationMs } from "../model/units.ts";
import { compileOrThrow } from "./compile.ts";
import type { StepColumns } from "./program.ts";

const AGENT = { kind: "agent", agent: "worker" } as const;

function columns(...steps: readonly ReturnType<typeof step>[]): StepColumns {
  return compileOrThrow(workflow(steps)).columns;
}

function isOrdinary(rest: Rest): boolean {
  return columns(step("a", rest), step("b")).ordinary[0] === 1;
}

describe("the columns of a program", () => {
  it("a call is ordinary, whatever it waits for and however long it may take", () => {
    expect(isOrdinary({ action: AGENT })).toBe(true);
    expect(isOrdinary({ action: AGENT, timeout: durationMs(5), retry: { attempts: 3 }, priority: 2 })).toBe(true);
    expect([...columns(step("a", { action: AGENT }), step("b", { action: AGENT, after: ["a"] })).ordinary]).toEqual([
      1, 1,
    ]);
  });

  it.each<readonly [string, Rest]>([
    ["has a condition", { when: "`false`" }],
    ["has an input", { input: { x: 1 } }],
    ["has a schema for its input", { inputSchema: { type: "object" } }],
    ["keeps its output in a variable", { output: { to: "variables.x" } }],
    ["has a schema for its output", { output: { schema: { type: "object" } } }],
    ["has a fallback", { fallback: "b" as never }],
    ["can be undone", { compensate: { action: AGENT } }],
  ])("DATA-1 DATA-3 STATE-4 a step that %s is not ordinary", (_, rest) => {
    expect(isOrdinary({ action: AGENT, ...rest })).toBe(false);
  });

  it("STATE-8 a fallback is not ordinary: it settles its primary", () => {
    const { ordinary } = columns(step("a", { action: AGENT, fallback: "b" as never }), step("b", { action: AGENT }));
    expect([...ordinary]).toEqual([0, 0]);
  });

  it("waits, barriers, maps and sub-workflows are not ordinary", () => {
    expect(isOrdinary({ action: { kind: "barrier" } })).toBe(false);
    expect(isOrdinary({ action: { kind: "workflow", workflow: "w2" } })).toBe(false);
    expect(isOrdinary(map([step("i")]))).toBe(false);
  });

  it("say the agents and the timeouts of those that have one", () => {
    const { agents, timeouts } = columns(step("a", { action: AGENT, timeout: durationMs(5) }), step("b"));
    expect([agents, timeouts]).toEqual([
      ["worker", undefined],
      [5, undefined],
    ]);
  });
});
