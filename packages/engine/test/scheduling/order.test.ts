// Who is next (SCHED-2).

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Claim, Need, NO_NEED } from "../../src/resources/claim.ts";
import { Capacity } from "../../src/resources/resource.ts";
import { Stage } from "./stage.ts";

function priority(value: number): Claim {
  return new Claim(value, NO_NEED);
}

/** Somebody who has the only slot. */
function busy(): Stage {
  const stage = new Stage({ slots: 1 });
  stage.request("z0");
  stage.news();
  return stage;
}

/** Ends whatever runs, again and again, and gives back the order in which the others came. */
function drained(stage: Stage, first: string = "z0", tookMs: number = 0): string[] {
  const order: string[] = [];
  for (let running: string | undefined = first; running !== undefined; running = stage.news()[0]) {
    if (running !== first) order.push(running);
    stage.advance(tookMs);
    stage.release(running);
  }
  return order;
}

describe("the order", () => {
  it("SCHED-2 is by priority, then by executions in turn, then first in, first out", () => {
    const stage = busy();
    const [low, high] = [priority(0), priority(1)];
    for (const name of ["a1", "a2", "a3"]) stage.request(name, low);
    for (const name of ["b1", "b2"]) stage.request(name, low);
    stage.request("b3", high);
    stage.request("c1", low);
    expect(drained(stage)).toEqual(["b3", "a1", "c1", "b1", "a2", "b2", "a3"]);
  });

  it("SCHED-2 an execution with many steps does not keep another waiting", () => {
    const stage = new Stage({ slots: 1 });
    for (let step = 1; step <= 200; step++) stage.request(`a${step}`);
    stage.request("b1");
    stage.release("a1");
    stage.release("a2");
    stage.release("b1");
    expect(stage.news()).toEqual(["a1", "a2", "b1", "a3"]);
  });

  it("SCHED-2 adds the priority that an execution was started with", () => {
    const stage = busy();
    stage.account("b", undefined, 5);
    stage.request("a1", priority(4));
    stage.request("b1", priority(0));
    stage.request("b2", priority(-2));
    expect(drained(stage)).toEqual(["b1", "a1", "b2"]);
  });

  it("SCHED-2 one priority is worth ten seconds since the execution was last served", () => {
    for (const [waitedMs, order] of [
      [9_999, ["b1", "a1"]],
      [10_001, ["a1", "b1"]],
    ] as const) {
      const stage = busy();
      stage.request("a1", priority(0));
      stage.advance(waitedMs);
      stage.request("b1", priority(1));
      expect(drained(stage)).toEqual(order);
    }
  });

  it("SCHED-2 a low priority is served in bounded time although higher ones keep coming", () => {
    const stage = busy();
    stage.request("a1", priority(0));
    let running = "z0";
    let rounds = 0;
    for (; running !== "a1"; rounds++) {
      stage.request(`b${rounds}`, priority(3));
      stage.advance(1000);
      stage.release(running);
      running = stage.news()[0]!;
    }
    expect(rounds).toBeGreaterThan(29);
    expect(rounds).toBeLessThan(33);
  });
});

describe("the time since an execution was last served", () => {
  it("SCHED-2 begins anew with every grant that it waited for", () => {
    const stage = busy();
    for (const name of ["a1", "a2", "a3"]) stage.request(name);
    stage.advance(5000);
    stage.request("b1");
    stage.advance(1000);
    expect(drained(stage, "z0", 1000)).toEqual(["a1", "b1", "a2", "a3"]);
  });

  it("SCHED-2 begins anew with a grant that it did not have to wait for, while others of its steps wait", () => {
    const stage = new Stage();
    const lock = new Claim(0, new Need([new Capacity("lock", "resource").take(1, 1)]));
    stage.request("z0", lock);
    stage.request("a1", lock);
    stage.advance(1000);
    stage.request("b1", lock);
    stage.advance(1000);
    stage.request("a2");
    stage.release("z0");
    expect(stage.news()).toEqual(["z0", "a2", "b1"]);
  });
});

describe("between different needs", () => {
  it("SCHED-2 the order is the same as between equal ones, also when a higher priority comes later", () => {
    const stage = busy();
    const need = new Need([new Capacity("pool", "resource").take(1, 9)]);
    stage.request("a1", new Claim(0, need));
    stage.request("c1", new Claim(0, need));
    stage.request("b1", priority(1));
    stage.request("c2", new Claim(5, need));
    expect(drained(stage)).toEqual(["c2", "b1", "a1", "c1"]);
  });
});

describe("turns", () => {
  it("SCHED-2 executions of the same priority differ by one grant at most, whoever asks for how much", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 6 }), (counts) => {
        const stage = busy();
        counts.forEach((count, owner) => {
          for (let step = 1; step <= count; step++) stage.request(`${"abcdef"[owner]!}${step}`);
        });
        const served = counts.map(() => 0);
        for (const name of drained(stage, "z0", 1)) {
          const owner = "abcdef".indexOf(name[0]!);
          served[owner]!++;
          expect(name, "its steps come in their order").toBe(`${name[0]!}${served[owner]!}`);
          const unfinished = served.filter((count, each) => count < counts[each]!);
          if (unfinished.length > 0) expect(Math.max(...served) - Math.min(...unfinished)).toBeLessThanOrEqual(12);
          if (unfinished.length > 1) expect(Math.max(...unfinished) - Math.min(...unfinished)).toBeLessThanOrEqual(1);
        }
        expect(served).toEqual(counts);
      }),
      { numRuns: 100 },
    );
  });

  it("SCHED-2 go on when the clock of the system is set back", () => {
    const stage = busy();
    stage.request("a1");
    stage.request("a2");
    stage.clockOffsetMs -= 3_600_000;
    stage.request("b1");
    expect(drained(stage)).toEqual(["a1", "b1", "a2"]);
  });
});
