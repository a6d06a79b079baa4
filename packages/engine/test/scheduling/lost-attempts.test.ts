// Attempts lost with their process hold nothing once another process has loaded their execution.

import type { ContentHash, Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { ContentRequest } from "../../src/store/store.ts";
import { ClockEngine } from "../engine/clock-engine.ts";
import { flow, one, step } from "../engine/sample-flow.ts";
import { inspectEngine } from "../../src/testing/index.ts";

/** A store that can be told not to answer reads of values. */
class SlowStore extends MemoryStore {
  isSlow = false;

  override async contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    if (this.isSlow && request.kind === "values") return new Promise(() => undefined);
    return super.contents(request);
  }
}

const resources = { room: { kind: "capacity", capacity: 1 } } as const;
const room = { resources: { room: 1 } };

describe("attempts of a process that has crashed", () => {
  it("FAIL-9 SCHED-4 hold nothing while their execution loads the values that it needs to continue", async () => {
    const store = new SlowStore();
    const agents = {
      large: async () => "x".repeat(100_000),
      hang: () => new Promise<Json>(() => undefined),
      work: async () => "done",
    };
    await using test = new ClockEngine(agents, store);
    await test.open();
    const steps = [
      step("value", { agent: "large" }),
      step("a", { agent: "hang", ...room }),
      step("b", { after: ["value"], input: "${ steps.value.output }", ...room }),
    ];
    await test.during(test.engine.start(flow(steps, { resources })));
    await test.world.advance(10);
    store.isSlow = true;
    await test.restart();
    const other = await test.during(test.engine.start(one(room, { resources })));
    expect(await test.during(other.result())).toBe("done");
    expect([...inspectEngine(test.engine).all()].map(({ turnStage }) => turnStage)).toEqual(["loading"]);
  });
});
