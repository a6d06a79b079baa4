// Resources with real processes and functions: bounds hold whatever happens to their holders.

import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { readEvents, readHistory } from "../engine/sample-flow.ts";
import { contract, ending, reaches, useFixture, statuses } from "./fixture.ts";

const fixture = useFixture();

/** The start and end times that commands recorded. Appending a short line is one write, so lines are never torn. */
function maxConcurrent(lines: readonly string[]): number {
  let [now, most] = [0, 0];
  for (const line of lines) {
    now += line.startsWith("begin") ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

const MARKED = "echo begin >> marks; sleep 0.03; echo end >> marks";

describe("a capacity", () => {
  it("SCHED-4 of 1 is never held twice, across all executions, even if commands fail or are killed", async () => {
    const yaml = `
name: shared
resources: { device: 1 }
onFailure: finish
steps:
  - { id: a, run: "${MARKED}", resources: { device: 1 } }
  - { id: b, run: "${MARKED}; exit 3", resources: { device: 1 }, onError: continue }
  - { id: c, run: "${MARKED}; kill -9 $$", resources: { device: 1 }, onError: continue, retry: { attempts: 2, base: 1ms } }
  - { id: free, run: "echo free >> others" }
`;
    const engine = await fixture.current.open();
    const handles = [await engine.start(contract(yaml)), await engine.start(contract(yaml))];
    await Promise.all(handles.map((handle) => handle.result()));
    expect(fixture.current.lines("marks")).toHaveLength(16);
    expect(maxConcurrent(fixture.current.lines("marks"))).toBe(1);
    expect(fixture.current.lines("others")).toHaveLength(2);
  });

  it("SCHED-4 is acquired all or none: a large claim waits for all of it and is not starved", async () => {
    let [used, most] = [0, 0];
    const take = async (amount: number): Promise<void> => {
      used += amount;
      most = Math.max(most, used);
      await new Promise((resolve) => setTimeout(resolve, 5));
      used -= amount;
    };
    const small = Array.from({ length: 8 }, (_, n) => `  - { id: s${n}, agent: small, resources: { memory: 1 } }`);
    const yaml = `
name: sizes
resources: { memory: 3 }
agents: { small: { limits: { concurrency: 10 } } }
steps:
${small.join("\n")}
  - { id: large, agent: large, resources: { memory: 3 } }
`;
    const handle = await fixture.current.start(yaml, { agents: { small: () => take(1), large: () => take(3) } });
    await handle.result();
    expect(most).toBe(3);
  });

  it("SCHED-4 is not free while leftover processes of a command still use it", async () => {
    const yaml = `
name: leftovers
resources: { device: 1 }
steps:
  - id: a
    run: |
      sh -c 'trap "" TERM; exec 9>>lock; flock 9; echo > up; sleep 0.3' </dev/null >/dev/null 2>&1 &
      while [ ! -e up ]; do sleep 0.01; done
    resources: { device: 1 }
  - { id: b, run: "exec 9>>lock; flock -n 9 || echo two at once >> overlaps", resources: { device: 1 }, dependsOn: [a] }
`;
    await (await fixture.current.start(yaml)).result();
    expect(fixture.current.text("overlaps")).toBe("");
  });
});

describe("a quota", () => {
  it("SCHED-4 is never exceeded in any window, across all executions", async () => {
    const steps = Array.from({ length: 4 }, (_, n) => `  - { id: s${n}, agent: call, resources: { api: 1 } }`);
    const yaml = `name: rated\nresources: { api: 3/200ms }\nagents: { call: { limits: { concurrency: 9 } } }\nsteps:\n${steps.join("\n")}\n`;
    // In virtual time, an attempt starts at the moment at which it was admitted.
    await using test = await openTestEngine({ agents: { call: () => null } });
    const handles = [await test.start(contract(yaml)), await test.start(contract(yaml))];
    await test.advance("2s");
    await Promise.all(handles.map((handle) => handle.result()));
    const starts = (await Promise.all(handles.map((handle) => readEvents(handle, "step.started"))))
      .flat()
      .map(({ at }) => at)
      .toSorted((one, other) => one - other);
    expect(starts).toHaveLength(8);
    for (let each = 3; each < starts.length; each++)
      expect(starts[each]! - starts[each - 3]!).toBeGreaterThanOrEqual(200);
  });
});

const HOLDING = `
name: holding
resources: { device: 1 }
steps:
  - { id: hold, agent: hold, resources: { device: 1 } }
`;
const WANTING = `
name: wanting
resources: { device: 1 }
steps:
  - { id: want, run: "echo on", resources: { device: 1 } }
`;
const FREE = "name: free\nsteps:\n  - { id: plain, run: 'echo on' }\n";

describe("a function that ignores its signal", () => {
  function holding(): { readonly options: EngineOptions; readonly letGo: () => void } {
    const { promise, resolve } = Promise.withResolvers<string>();
    return {
      options: { agents: { hold: () => promise }, limits: { slots: 1 } },
      letGo: () => resolve("too late"),
    };
  }

  it("CANCEL-2 SCHED-7 frees its slot at once and its resource when its promise settles, and `why` says so", async () => {
    const { options, letGo } = holding();
    const engine = await fixture.current.open(options);
    const held = await engine.start(contract(HOLDING));
    await reaches(held, "hold", "running");
    const waiting = await engine.start(contract(WANTING));
    await held.cancel({ graceMs: 10 });
    expect(await ending(held)).toBe("cancelled");
    await (await engine.start(contract(FREE))).result();
    expect(await engine.why(waiting.id, "want")).toMatchObject([
      {
        reason: {
          kind: "resource",
          resource: "device",
          wanted: 1,
          free: 0,
          holders: [{ execution: held.id, step: "hold", isLingering: true }],
        },
        text: expect.stringContaining("ended, but still running"),
      },
    ]);
    letGo();
    await waiting.result();
    expect(await ending(held)).toBe("cancelled");
    expect((await readHistory(held)).at(-1)!.kind).toBe("execution.cancelled");
    expect(await statuses(held)).toEqual({ hold: "cancelled" });
  });

  it("CANCEL-2 SCHED-4 keeps its resource also after a timeout, when the step is retried", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let [calls, running, most] = [0, 0, 0];
    const hold = async (): Promise<void> => {
      most = Math.max(most, ++running);
      if (++calls === 1) await promise;
      running--;
    };
    const yaml = `
name: late
resources: { device: 1 }
steps:
  - id: hold
    agent: hold
    resources: { device: 1 }
    timeout: 20ms
    retry: { attempts: 2, base: 1ms, on: [timeout] }
`;
    await using test = await openTestEngine({ agents: { hold } });
    const handle = await test.start(contract(yaml));
    await test.advance("6s");
    expect((await test.engine.why(handle.id, "hold")).map(({ reason }) => reason.kind)).toEqual(["resource"]);
    expect(calls).toBe(1);
    resolve();
    await test.untilIdle();
    await handle.result();
    expect([calls, most]).toEqual([2, 1]);
  });
});
