// Payloads: what `payloadFor` may add, and what becomes of what is not JSON.

import { describe, expect, it } from "vitest";
import { graph, outline, plan, step, stepId, WORKFLOW_ID, type Outline } from "../fixture.ts";

const FAILED: Outline = { status: "failed", completed: [], failed: ["a"], skipped: [] };

class Account {
  readonly owner = "x";
}

describe("payloadFor", () => {
  it("PLAN-20 extends a payload", async () => {
    const { actionsEmitted } = await plan(graph("a b"), { payloadFor: ({ stepName }) => ({ input: [stepName] }) });
    expect(actionsEmitted.map(({ payload }) => payload)).toEqual([
      { workflow_id: WORKFLOW_ID, step_id: stepId("a"), step_name: "a", input: ["a"] },
      { workflow_id: WORKFLOW_ID, step_id: stepId("b"), step_name: "b", input: ["b"] },
    ]);
  });

  it("PLAN-20 cannot override what the planner says", async () => {
    const payloadFor = (): object => ({ workflow_id: "mine", step_id: "mine", step_name: "mine", more: 1 });
    const { actionsEmitted } = await plan(graph("a"), { payloadFor });
    expect(actionsEmitted[0]!.payload).toEqual({
      workflow_id: WORKFLOW_ID,
      step_id: stepId("a"),
      step_name: "a",
      more: 1,
    });
  });

  it("PLAN-20 is given the step itself, and asked once for each", async () => {
    const steps = graph("a b(a)");
    const asked: unknown[] = [];
    await plan(steps, {
      payloadFor: (each) => {
        asked.push(each);
        return {};
      },
    });
    expect(asked).toHaveLength(2);
    asked.forEach((each, index) => expect(each).toBe(steps[index]));
  });

  it("PLAN-20 may return any JSON", async () => {
    const json = { text: "é\u2028", none: null, yes: true, number: -1.5e-7, list: [[], {}], "": { " ": 0 } };
    const { actionsEmitted } = await plan(graph("a"), { payloadFor: () => json });
    expect(actionsEmitted[0]!.payload).toMatchObject(json);
  });

  it("PLAN-1 keeps what it returned: an action does not change with it, and it is not frozen by it", async () => {
    const returned = { list: [{ deep: 1 }] };
    const { actionsEmitted } = await plan(graph("a"), { payloadFor: () => returned });
    expect([Object.isFrozen(returned), Object.isFrozen(returned.list), Object.isFrozen(returned.list[0])]).toEqual([
      false,
      false,
      false,
    ]);
    returned.list[0]!.deep = 2;
    expect(actionsEmitted[0]!.payload["list"]).toEqual([{ deep: 1 }]);
  });

  it("PLAN-16 has no say over order_index: it is in no payload", async () => {
    const { actionsEmitted } = await plan([step("a", { orderIndex: 5 })]);
    expect(JSON.stringify(actionsEmitted)).not.toMatch(/order_?index/iu);
  });
});

describe("a payload that is not JSON", () => {
  it.each([
    ["a function", { call: () => 1 }, "call"],
    ["a class", { type: Account }, "type"],
    ["an instance of a class", { account: new Account() }, "account"],
    ["a set", { rows: [1, { when: new Set() }] }, "rows[1].when"],
    ["a map", { map: new Map() }, "map"],
    ["bytes", { bytes: new Uint8Array(2) }, "bytes"],
    ["a symbol", { deep: { symbol: Symbol("x") } }, "deep.symbol"],
    ["a bigint", { big: [10n] }, "big[0]"],
    ["not a number", { ratio: Number.NaN }, "ratio"],
    ["infinity", { list: [Number.POSITIVE_INFINITY] }, "list[0]"],
    ["undefined in a list", { a: { b: [undefined] } }, "a.b[0]"],
  ])("PLAN-7 %s fails its step and is named by its path", async (_name, payload, path) => {
    const result = await plan(graph("a"), { payloadFor: () => payload });
    expect(outline(result)).toEqual(FAILED);
    expect(result.actionsEmitted).toEqual([]);
    expect(result.metadata["errors"]).toEqual([
      { step_id: stepId("a"), error_type: expect.any(String), message: expect.stringContaining(path) },
    ]);
  });

  it.each([
    ["a list", []],
    ["a text", "text"],
    ["a number", 5],
    ["a function", () => ({})],
    ["a map", new Map()],
    ["an instance of a class", new Account()],
  ])("PLAN-7 %s as a whole payload fails its step", async (_name, payload) => {
    expect(outline(await plan(graph("a"), { payloadFor: () => payload as object }))).toEqual(FAILED);
  });

  it("PLAN-7 PLAN-8 fails like any other step: errorAction decides", async () => {
    const payloadFor = ({ stepName }: { readonly stepName: string }): object => (stepName === "a" ? { bad: 1n } : {});
    const result = await plan([step("a", { errorAction: "continue" }), step("b")], { payloadFor });
    expect(outline(result)).toEqual({ status: "failed", completed: ["b"], failed: ["a"], skipped: [] });
  });
});

describe("a payload that cannot be made", () => {
  it("PLAN-14 fails its step and says why", async () => {
    const payloadFor = (): never => {
      throw new RangeError("the shelf is empty");
    };
    const { metadata } = await plan(graph("a"), { payloadFor });
    expect(metadata["errors"]).toEqual([
      {
        step_id: stepId("a"),
        error_type: expect.any(String),
        message: expect.stringContaining("the shelf is empty"),
      },
    ]);
  });

  it("PLAN-14 never reaches the caller as an exception, whether it is a planner's error or another", async () => {
    const refuse = (): never => {
      step("", {});
      throw new Error("unreached");
    };
    expect(outline(await plan(graph("a"), { payloadFor: refuse }))).toEqual(FAILED);
  });

  it("PLAN-14 an id that cannot be made fails its step too", async () => {
    const newId = (): never => {
      throw new Error("no entropy");
    };
    const result = await plan(graph("a"), { newId });
    expect(outline(result)).toEqual(FAILED);
    expect(JSON.stringify(result.metadata)).toContain("no entropy");
  });
});
