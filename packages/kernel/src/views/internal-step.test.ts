import { expect, it } from "vitest";
import { createState, isCountedStep, isInternalStep, toProgress, type Definition } from "../index.ts";
import { compileOrThrow } from "../program/compile.ts";

const RUN = { kind: "run", script: "true" };
const ITEMS = { kind: "map", over: 'steps."orders-items".output', steps: [{ id: "one", action: RUN }] };
const DEFINITION = {
  name: "nightly",
  steps: [
    { id: "orders-items", action: { kind: "agent", agent: "list" } },
    { id: "orders", action: ITEMS, dependsOn: [{ step: "orders-items", on: "succeeded" }] },
    { id: "line-items", action: RUN },
    { id: "report", action: RUN },
    { id: "_output", action: RUN },
  ],
} as unknown as Definition;

it("EVENT-1 a step is internal if its id begins with an underscore, or if it reads the items of a map", () => {
  const state = createState(compileOrThrow(DEFINITION));
  const ids = DEFINITION.steps.map(({ id }) => id);
  expect(ids.filter((_, step) => isInternalStep(state, step))).toEqual(["orders-items", "_output"]);
  expect(ids.filter((_, step) => isCountedStep(state, step))).toEqual(["orders", "line-items", "report"]);
  expect(toProgress(state)).toEqual({ total: 3, ended: 0, items: 0, itemsEnded: 0, itemsFailed: 0 });
});
