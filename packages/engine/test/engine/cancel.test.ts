// The CANCEL rules, one by one.

import { durationMs, stepId } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { BaseAgent, type AgentFunction, type StepContext } from "../../src/index.ts";
import { hang, openTestEngine, script, succeed, inspectEngine } from "../../src/testing/index.ts";
import { readEvents, flow, eventKinds, one, step } from "./sample-flow.ts";

/** Returns a value the given time after its signal aborts. */
function afterSignal(ms: number, sleep: (ms: number) => Promise<void>): AgentFunction {
  return async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await sleep(ms);
    return "cleaned up";
  };
}

const obedient: AgentFunction = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("a signal", () => {
  it("CANCEL-1 fires when the execution is cancelled, with a reason that people can read", async () => {
    const signals: AbortSignal[] = [];
    await using test = await openTestEngine({
      agents: { work: (_, { signal }) => new Promise(() => signals.push(signal)) },
    });
    const handle = await test.start(one());
    const other = await test.start(one());
    await test.untilIdle();
    await handle.cancel({ reason: "not needed any more" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect((signals[0]!.reason as Error).name).toBe("AbortError");
    expect((await other.status()).status).toBe("running");
  });

  it("CANCEL-1 fires when the engine closes", async () => {
    const signals: AbortSignal[] = [];
    const test = await openTestEngine({
      agents: { work: (_, { signal }) => new Promise(() => signals.push(signal)) },
    });
    await test.start(one());
    await test.untilIdle();
    await test.engine.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("CANCEL-1 that has fired already prevents the call", async () => {
    let performed = 0;
    class Counting extends BaseAgent {
      override perform(): void {
        performed++;
      }
    }
    const context = { signal: AbortSignal.abort(new Error("stopped")), input: null } as unknown as StepContext;
    await expect(new Counting().execute({}, context)).rejects.toThrow("stopped");
    expect(performed).toBe(0);
  });

  it("CANCEL-1 that has fired is never given to an agent that has not been called yet", async () => {
    const seen: boolean[] = [];
    await using test = await openTestEngine({ agents: { work: (_, { signal }) => void seen.push(signal.aborted) } });
    for (let index = 0; index < 5; index++) {
      const handle = await test.start(one());
      await handle.cancel();
      await test.untilIdle();
      expect(["cancelled", "completed"]).toContain((await handle.status()).status);
    }
    expect(seen).not.toContain(true);
  });
});

describe("an abort", () => {
  it("CANCEL-2 gives running attempts exactly 5 seconds, and then ends them by force", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const handle = await test.start(one());
    await test.untilIdle();
    expect(await handle.cancel()).toEqual({ kind: "accepted" });
    await test.advance(4999);
    expect(await handle.status()).toMatchObject({ status: "cancelling", steps: [{ status: "cancelling" }] });
    await test.advance(1);
    expect(await handle.status()).toMatchObject({
      status: "cancelled",
      steps: [{ status: "cancelled", detail: { kind: "stopped", ended: "by-force" } }],
    });
    const [cancelling] = await readEvents(handle, "steps.cancelling");
    const [ended] = await readEvents(handle, "step.cancelled");
    expect([cancelling!.forceAt - cancelling!.at, ended!.at - cancelling!.at]).toEqual([5000, 5000]);
  });

  it("CANCEL-2 takes its grace from the workflow, and from the caller before that", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const graces: number[] = [];
    for (const options of [{}, { graceMs: 120 }, { graceMs: 0 }]) {
      const handle = await test.start(one({}, { grace: durationMs(80) }));
      await test.untilIdle();
      await handle.cancel(options);
      await test.advance("1s");
      const [[cancelling], [ended]] = [
        await readEvents(handle, "steps.cancelling"),
        await readEvents(handle, "step.cancelled"),
      ];
      expect(ended!.ended).toBe("by-force");
      graces.push(ended!.at - cancelling!.at);
    }
    expect(graces).toEqual([80, 120, 0]);
  });

  it("CANCEL-2 counts a value that is returned within the grace, and the execution is cancelled all the same", async () => {
    let sleep: (ms: number) => Promise<void> = () => Promise.resolve();
    await using test = await openTestEngine({
      agents: { work: (input, context) => afterSignal(4000, sleep)(input, context), next: script([succeed()]) },
    });
    sleep = (ms) => inspectEngine(test.engine).sleep(ms);
    const handle = await test.start(flow([step("a"), step("b", { agent: "next", after: ["a"] })]));
    await test.untilIdle();
    await handle.cancel();
    await test.advance("4s");
    expect(await handle.status()).toMatchObject({
      status: "cancelled",
      steps: [
        { status: "succeeded", detail: { kind: "output", output: { json: "cleaned up" } } },
        { status: "cancelled", attempts: 0 },
      ],
    });
    await expect(handle.result()).rejects.toMatchObject({ code: "EXECUTION_CANCELLED" });
  });
});

describe("an abort", () => {
  it("CANCEL-2 counts nothing that is returned after it", async () => {
    let late: (value: unknown) => void = () => undefined;
    await using test = await openTestEngine({ agents: { work: () => new Promise((resolve) => (late = resolve)) } });
    const handle = await test.start(one());
    await test.untilIdle();
    await handle.cancel();
    await test.advance("5s");
    const before = await handle.status();
    expect(before.status).toBe("cancelled");
    late("too late");
    await test.advance("1h");
    expect(await handle.status()).toEqual(before);
  });

  it("CANCEL-2 starts nothing new, neither what is ready nor what backs off", async () => {
    let failures = 0;
    const never = script([succeed()]);
    await using test = await openTestEngine({
      agents: {
        work: script([hang()]),
        fails: () => {
          failures++;
          throw new Error("busy");
        },
        never,
      },
      limits: { perAgent: 1 },
    });
    const handle = await test.start(
      flow([step("a"), step("b"), step("c", { agent: "fails" }), step("d", { agent: "never", after: ["a"] })]),
    );
    await test.untilIdle();
    await handle.cancel();
    await test.advance("1h");
    expect((await handle.status()).steps.map(({ status, attempts }) => [status, attempts])).toEqual([
      ["cancelled", 1],
      ["cancelled", 0],
      ["cancelled", 1],
      ["cancelled", 0],
    ]);
    expect([failures, never.calls.length]).toEqual([1, 0]);
  });
});

describe("an abort", () => {
  it("CANCEL-2 leaves the slot of what it ended by force to others", async () => {
    const work = script([hang(), succeed("next")]);
    await using test = await openTestEngine({ agents: { work }, limits: { slots: 1 } });
    const first = await test.start(one());
    await test.untilIdle();
    const second = await test.start(one());
    await first.cancel();
    await test.advance(4999);
    expect(work.calls.length).toBe(1);
    await test.advance(1);
    expect(await second.result()).toBe("next");
  });

  it("CANCEL-2 CANCEL-5 goes on after a crash, and what was lost with the process is not run again", async () => {
    const work = script([hang()]);
    await using test = await openTestEngine({ agents: { work } });
    const handle = await test.start(one());
    await test.untilIdle();
    await handle.cancel();
    await test.crash();
    await test.advance("5s");
    expect((await (await test.get(handle.id)).status()).status).toBe("cancelled");
    expect(work.calls.length).toBe(1);
  });

  it("CANCEL-5 the journal tells who stopped by itself from who was stopped by force", async () => {
    await using test = await openTestEngine({ agents: { obeys: obedient, ignores: script([hang()]) } });
    const handle = await test.start(flow([step("a", { agent: "obeys" }), step("b", { agent: "ignores" })]));
    await test.untilIdle();
    await handle.cancel();
    await test.untilIdle();
    expect((await handle.status()).steps.map(({ status }) => status)).toEqual(["cancelled", "cancelling"]);
    await test.advance("5s");
    const ended = await readEvents(handle, "step.cancelled");
    expect(ended.map((event) => [event.step, event.ended])).toEqual([
      [0, "itself"],
      [1, "by-force"],
    ]);
  });
});

describe("a drain", () => {
  it("CANCEL-3 lets what runs end normally, however long it takes, and cancels the rest", async () => {
    const signals: AbortSignal[] = [];
    let end: (value: unknown) => void = () => undefined;
    const next = script([succeed()]);
    await using test = await openTestEngine({
      agents: {
        work: (_, { signal }) => {
          signals.push(signal);
          return new Promise((resolve) => (end = resolve));
        },
        next,
      },
    });
    const handle = await test.start(flow([step("a"), step("b", { agent: "next", after: ["a"] })]));
    await test.untilIdle();
    expect(await handle.cancel({ mode: "drain" })).toEqual({ kind: "accepted" });
    await test.advance("1d");
    expect((await handle.status()).steps.map(({ status }) => status)).toEqual(["running", "cancelled"]);
    end("done in its own time");
    await test.untilIdle();
    expect((await handle.status()).status).toBe("cancelled");
    expect((await handle.status()).steps[0]).toMatchObject({ status: "succeeded" });
    expect([signals[0]!.aborted, next.calls.length]).toEqual([false, 0]);
  });

  it("CANCEL-3 does not try again what fails meanwhile", async () => {
    const calls: PromiseWithResolvers<unknown>[] = [];
    await using test = await openTestEngine({
      agents: {
        work: () => {
          calls.push(Promise.withResolvers());
          return calls.at(-1)!.promise;
        },
      },
    });
    const handle = await test.start(flow([step("a")]));
    await test.untilIdle();
    await handle.cancel({ mode: "drain" });
    calls[0]!.reject(new Error("busy"));
    await test.advance("1h");
    expect([calls.length, (await handle.status()).status]).toEqual([1, "cancelled"]);
  });
});

describe("what only waits", () => {
  it("CANCEL-4 is cancelled at once: 1,000 steps are one event", async () => {
    await using test = await openTestEngine({ agents: { work: script([hang()]) } });
    const steps = Array.from({ length: 1000 }, (_, index) => step(`s${index}`, { after: index === 0 ? [] : ["s0"] }));
    const handle = await test.start(flow(steps));
    await test.untilIdle();
    const before = await handle.status();
    await handle.cancel();
    const events = await readEvents(handle, "steps.cancelled");
    expect(events.map((event) => event.steps)).toEqual([[[1, 999]]]);
    const { steps: after, seq } = await handle.status();
    expect(after.filter(({ status }) => status === "cancelled")).toHaveLength(999);
    expect(seq - before.seq).toBeLessThanOrEqual(3);
  });

  it("CANCEL-4 may be queued, backing off or suspended as well", async () => {
    const fails: AgentFunction = () => {
      throw new Error("busy");
    };
    await using test = await openTestEngine({ agents: { work: script([hang()]), fails }, limits: { perAgent: 1 } });
    const handle = await test.start(
      flow([
        { id: stepId("signal"), action: { kind: "wait", on: "signal", signal: "go" } },
        { id: stepId("timer"), action: { kind: "wait", on: "duration", for: durationMs(1e9) } },
        step("backoff", { agent: "fails" }),
        step("runs"),
        step("queued"),
      ]),
    );
    await test.untilIdle();
    await handle.cancel();
    expect((await handle.status()).steps.map(({ status }) => status)).toEqual([
      "cancelled",
      "cancelled",
      "cancelled",
      "cancelling",
      "cancelled",
    ]);
    expect(await readEvents(handle, "steps.cancelled")).toHaveLength(1);
    await test.advance("5s");
    expect((await eventKinds(handle)).at(-1)).toBe("execution.cancelled");
  });
});
