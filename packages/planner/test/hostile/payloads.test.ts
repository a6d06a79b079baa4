// A `payloadFor` that throws and returns whatever it likes.

import { describe, expect, it } from "vitest";
import { graph, outline, plan, stepId, unfrozen } from "../fixture.ts";

const FAILED = { status: "failed", completed: [], failed: ["a"], skipped: [] };

const rude = (): never => {
  throw new Error("no");
};
const ALL_TRAPS = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect).map((trap) => [trap, rude]),
) as ProxyHandler<object>;
const refusing = (): object => new Proxy({}, ALL_TRAPS);

function cyclic(): object {
  const ring: Record<string, unknown> = { list: [] };
  (ring["list"] as unknown[]).push({ ring });
  return ring;
}

function deep(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

function settled(): Promise<object> {
  const rejected = Promise.reject(new Error("late"));
  rejected.catch(() => undefined);
  return rejected;
}

describe("a payloadFor that throws", () => {
  it.each<[string, () => unknown]>([
    ["undefined", () => undefined],
    ["null", () => null],
    ["a text", () => "text"],
    ["a number", () => Number.NaN],
    ["a bigint", () => 10n],
    ["a symbol", () => Symbol("x")],
    ["a function", () => rude],
    ["an object without a prototype", () => Object.create(null)],
    ["an object that throws when it is made a text", () => ({ toString: rude, [Symbol.toPrimitive]: rude })],
    ["an error whose message throws", () => Object.defineProperty(new Error("x"), "message", { get: rude })],
    ["an error whose name is no text", () => Object.assign(new Error("x"), { name: Symbol("name"), message: 5 })],
    [
      "an error that is its own cause",
      () =>
        Object.assign(new Error("x"), {
          get cause() {
            return this;
          },
        }),
    ],
    ["a proxy that refuses everything", refusing],
    ["a promise", () => Promise.resolve({})],
  ])("PLAN-14 PLAN-19 %s fails its step, with texts in errors", async (_name, make) => {
    const payloadFor = (): never => {
      throw make();
    };
    const result = await plan(graph("a"), { payloadFor });
    expect(outline(result)).toEqual(FAILED);
    expect(result.metadata["errors"]).toEqual([
      { step_id: stepId("a"), error_type: expect.any(String), message: expect.any(String) },
    ]);
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it("PLAN-14 by running out of stack fails its step only", async () => {
    const endless = (): object => [endless()];
    const payloadFor = ({ stepName }: { readonly stepName: string }): object => (stepName === "a" ? endless() : {});
    const result = await plan(graph("a b"), { payloadFor, failureStrategy: "continue_on_error" });
    expect(outline(result)).toMatchObject({ completed: ["b"], failed: ["a"] });
  });
});

describe("a payloadFor that returns", () => {
  it.each<[string, () => unknown]>([
    ["a promise", () => Promise.resolve({ a: 1 })],
    ["a promise that fails", settled],
    ["a proxy that refuses everything", refusing],
    ["a cycle", cyclic],
    [
      "a value that is its own part",
      () => {
        const own: { own?: object } = {};
        own.own = own;
        return own;
      },
    ],
    ["a bigint deep inside", () => ({ a: [{ b: 1n }] })],
    [
      "a getter that throws",
      () => ({
        get a(): never {
          return rude();
        },
      }),
    ],
    ["a value without end", () => deep(100_000)],
    ["a list with holes", () => ({ list: Object.assign([1], { 3: 1 }) })],
    [
      "a revoked proxy",
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    ["an object whose toJSON returns what is not JSON", () => ({ inner: { toJSON: () => 1n } })],
    ["a boxed text", () => ({ text: new String("x") })],
  ])("PLAN-7 PLAN-14 %s fails its step", async (_name, make) => {
    const result = await plan(graph("a"), { payloadFor: () => make() as object });
    expect(outline(result)).toEqual(FAILED);
    expect(result.metadata["errors"]).toEqual([
      { step_id: stepId("a"), error_type: expect.any(String), message: expect.any(String) },
    ]);
  });
});

describe("a payload that is nearly JSON", () => {
  it("PLAN-4 PLAN-7 a proxy that behaves gives plain frozen data, or fails its step", async () => {
    const target = { list: [1] };
    const { actionsEmitted, failedSteps } = await plan(graph("a"), { payloadFor: () => new Proxy(target, {}) });
    expect(actionsEmitted.length + failedSteps.length).toBe(1);
    target.list.push(2);
    for (const { payload } of actionsEmitted) {
      expect(payload["list"]).toEqual([1]);
      expect(unfrozen(payload)).toEqual([]);
    }
  });

  it("PLAN-4 PLAN-7 a getter that changes its mind smuggles nothing in that is not JSON", async () => {
    for (let turn = 0; turn < 6; turn++) {
      let reads = 0;
      const payloadFor = (): object => ({
        get fickle(): unknown {
          return reads++ < turn ? 1 : rude;
        },
      });
      const result = await plan(graph("a"), { payloadFor });
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      expect(unfrozen(result)).toEqual([]);
    }
  });

  it("PLAN-7 a key called __proto__ is data at most, never a prototype", async () => {
    const payload = JSON.parse('{"__proto__":{"polluted":true},"deep":{"__proto__":{"polluted":true}}}') as object;
    const { actionsEmitted } = await plan(graph("a"), { payloadFor: () => payload });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    for (const action of actionsEmitted) {
      expect(action.payload["polluted"]).toBeUndefined();
      expect((action.payload["deep"] as Record<string, unknown>)["polluted"]).toBeUndefined();
    }
  });

  it("PLAN-7 a part that stands in two places is no cycle", async () => {
    const part = { a: 1 };
    const { actionsEmitted } = await plan(graph("a"), { payloadFor: () => ({ one: part, two: [part] }) });
    expect(actionsEmitted[0]!.payload).toMatchObject({ one: { a: 1 }, two: [{ a: 1 }] });
  });
});
