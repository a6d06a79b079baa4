// Options of each item of a map: limits, resources, output and fallback (BEYOND-1, SCHED-4).

import { loadContract } from "@segno/contract";
import { PermanentError } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { map, workflow, type AgentFunction, type BuiltWorkflow } from "../../src/index.ts";
import { openTestEngine, type TestEngine } from "../../src/testing/index.ts";
import { statuses } from "./fixture.ts";

/** The current and the maximum concurrency. */
class Crowd {
  most = 0;
  #now = 0;

  readonly work: AgentFunction = async () => {
    this.most = Math.max(this.most, ++this.#now);
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#now--;
  };
}

async function mostAtOnce(head: string, steps: string): Promise<number> {
  const crowd = new Crowd();
  await using test = await openTestEngine({ limits: { perAgent: 100 }, agents: { work: crowd.work } });
  await (await test.start(loadContract(`name: f\n${head}\nsteps:\n${steps}`))).result();
  return crowd.most;
}

async function toResult<Output>(test: TestEngine, built: BuiltWorkflow<unknown, Output>): Promise<Output> {
  return (await test.start(built as never)).result() as Promise<Output>;
}

const EACH = 'id: each, map: { over: "`[1, 2, 3, 4, 5, 6]`", steps: [{ id: a, agent: work }] }';

describe("of a map in a contract", () => {
  it.each([
    ["nothing holds back its items", "", `  - { ${EACH} }`, 6],
    ["`resources` are taken by each item", "resources: { device: 2 }", `  - { ${EACH}, resources: { device: 1 } }`, 2],
    ["`limits` hold for all items together", "", `  - { ${EACH}, limits: { concurrency: 3 } }`, 3],
  ])("SCHED-1 SCHED-4 %s", async (_, head, steps, most) => {
    expect(await mostAtOnce(head, steps)).toBe(most);
  });

  it("SCHED-4 what a step of an item says itself of a resource holds, and limits of both do", async () => {
    const inner = "{ id: a, agent: work, resources: { device: 1 }, limits: { concurrency: 2 } }";
    const step = `  - { id: each, map: { over: "\`[1, 2, 3, 4]\`", steps: [${inner}] }, resources: { device: 4 }, limits: { concurrency: 3 } }`;
    expect(await mostAtOnce("resources: { device: 4 }", step)).toBe(2);
  });

  it("SCHED-1 limits of steps with the same id in two maps are two limits", async () => {
    const inner = '{ over: "`[1, 2]`", steps: [{ id: a, agent: work, limits: { concurrency: 1 } }] }';
    expect(await mostAtOnce("", `  - { id: x, map: ${inner} }\n  - { id: y, map: ${inner} }`)).toBe(2);
  });

  it("SCHED-2 its priority is that of its items", async () => {
    const begun: string[] = [];
    const work: AgentFunction = (_, { step }) => void begun.push(step.id);
    await using test = await openTestEngine({ limits: { slots: 1 }, agents: { work } });
    const steps = `  - { id: low, agent: work, priority: 1 }\n  - { ${EACH.replace("1, 2, 3, 4, 5, 6", "1, 2")}, priority: 2 }\n`;
    await (await test.start(loadContract(`name: f\nsteps:\n${steps}`))).result();
    expect(begun).toEqual(["each/0", "each/1", "low"]);
  });

  it.each([
    "{ id: a, wait: { for: 1s }, resources: { device: 1 } }",
    "{ id: a, approve: {}, limits: { concurrency: 1 } }",
    "{ id: a, barrier: true, limits: { concurrency: 1 } }",
    "{ id: a, workflow: other, resources: { device: 1 } }",
    '{ id: a, map: { over: "`[1]`", steps: [{ id: b, wait: { for: 1s } }] }, resources: { device: 1 } }',
  ])("KEYS_CONFLICT CONTRACT-3 limits and resources that nothing would hold are refused: %s", (step) => {
    expect(() => loadContract(`name: f\nresources: { device: 1 }\nsteps: [${step}]\n`)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ code: "KEYS_CONFLICT" })] }),
    );
  });
});

describe("of a map in TypeScript", () => {
  it.each([
    ["resources", { resources: { device: 1 } }],
    ["limits", { limits: { concurrency: 1 } }],
  ])("SCHED-1 SCHED-4 `%s` hold for each item", async (_, options) => {
    const crowd = new Crowd();
    await using test = await openTestEngine();
    const built = workflow("f", { resources: { device: 1 } })
      .step(
        "all",
        map([1, 2, 3], () => crowd.work(null, undefined as never) as Promise<undefined>, options),
      )
      .output(() => null);
    await toResult(test, built);
    expect(crowd.most).toBe(1);
  });

  it("BEYOND-1 DATA-3 `output` selects from the output of each item, and checks it", async () => {
    await using test = await openTestEngine();
    const options = { output: { select: "name", schema: { type: "string" } }, tolerance: 1 } as const;
    const built = workflow("f")
      .step(
        "all",
        map(["a", 1], ({ item: name }) => ({ name }), options),
      )
      .output(({ outputs }) => outputs.all);
    expect(await toResult(test, built)).toEqual(["a", null]);
  });

  it("BEYOND-1 STATE-8 `fallback` stands in for an item that fails for good, with its item", async () => {
    await using test = await openTestEngine();
    const odd = ({ item }: { readonly item: number }): string => {
      if (item % 2 === 0) throw new PermanentError("even");
      return `odd ${item}`;
    };
    const built = workflow("f")
      .step("all", map([1, 2, 3], odd, { fallback: ({ item }: { readonly item: number }) => ({ even: item }) }))
      .output(({ outputs }) => outputs.all);
    const handle = await test.start(built);
    const result: readonly (string | { readonly even: number })[] = await handle.result();
    expect(result).toEqual(["odd 1", { even: 2 }, "odd 3"]);
    expect(await statuses(handle)).toMatchObject({ "all/1/item": "failed", "all/1/fallback": "succeeded" });
  });

  it("DEFINITION_INVALID a fallback of items that is not work is refused", () => {
    const built = (): unknown =>
      workflow("f")
        .step(
          "all",
          map([1], () => 1, { fallback: "other" as never }),
        )
        .output(({ outputs }) => outputs.all).definition;
    expect(built).toThrow(/of the fallback of each item: expected a function/u);
  });
});
