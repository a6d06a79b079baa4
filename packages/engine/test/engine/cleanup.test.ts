// The clean-up of an agent runs once for every attempt, including abandoned ones.

import { durationMs, type Outcome } from "@segno/kernel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import { agent, BaseAgent, workflow, type Agent } from "../../src/index.ts";
import { MainThreadRunner } from "../../src/runners/main-thread-runner.ts";
import { moduleAgent } from "../../src/runners/module-agent.ts";
import type { AttemptHandle } from "../../src/runners/runner.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { SampleAttempt } from "../threads/sample-attempt.ts";
import { useThreadFixture } from "../threads/thread-fixture.ts";
import { readEvents, one } from "./sample-flow.ts";

/** Ignores its signal; the test ends its calls. */
class Held extends BaseAgent {
  readonly calls: PromiseWithResolvers<unknown>[] = [];
  cleanups = 0;

  override perform(): Promise<unknown> {
    const call = Promise.withResolvers<unknown>();
    this.calls.push(call);
    return call.promise;
  }

  override cleanup(): Promise<void> | void {
    this.cleanups++;
  }
}

/** The test ends its clean-up as well. */
class HeldTwice extends Held {
  readonly cleaned = Promise.withResolvers<void>();

  override cleanup(): Promise<void> {
    this.cleanups++;
    return this.cleaned.promise;
  }
}

class OwnAttempt extends SampleAttempt {
  override readonly mainThreadAgent: never;

  constructor(own: Agent) {
    super();
    this.mainThreadAgent = own as never;
  }
}

function start(own: Agent): { readonly attempt: SampleAttempt; readonly running: AttemptHandle } {
  const attempt = new OwnAttempt(own);
  return { attempt, running: new MainThreadRunner(new SystemEnvironment()).start(attempt) };
}

async function untilCalled(held: Held, calls = 1): Promise<void> {
  while (held.calls.length < calls) await macrotask();
}

const macrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const SECOND = { timeout: durationMs(1000) };

describe("the clean-up of an attempt that is given up", () => {
  it("CANCEL-2 FAIL-4 runs when the grace of a timeout is over, and not again when its work settles at last", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held } });
    await test.start(one(SECOND));
    await test.advance(5999);
    expect(held.cleanups).toBe(0);
    await test.advance(1);
    expect(held.cleanups).toBe(1);
    held.calls[0]!.resolve("too late");
    await test.advance("1h");
    expect(held.cleanups).toBe(1);
  });

  it("CANCEL-2 FAIL-4 waits for work that is stopping, and the attempt has timed out all the same", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held } });
    const handle = await test.start(one(SECOND));
    await test.advance(3000);
    expect([held.cleanups, (await handle.status()).steps[0]?.status]).toEqual([0, "cancelling"]);
    held.calls[0]!.resolve("stopped at last");
    await test.untilIdle();
    expect(held.cleanups).toBe(1);
    expect(await handle.status()).toMatchObject({ status: "failed", failure: { code: "ATTEMPT_TIMEOUT" } });
  });

  it("CANCEL-2 runs when the grace of a cancel is over, and not again when its work fails at last", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held } });
    const handle = await test.start(one({ timeout: durationMs(60_000) }));
    await test.untilIdle();
    await handle.cancel();
    await test.advance(4999);
    expect(held.cleanups).toBe(0);
    await test.advance(1);
    expect(held.cleanups).toBe(1);
    held.calls[0]!.reject(new Error("too late"));
    await test.advance("1h");
    expect(held.cleanups).toBe(1);
  });
});

describe("the clean-up of an attempt that is given up, further", () => {
  it("CANCEL-2 has begun when the engine is closed", async () => {
    const held = new Held();
    const test = await openTestEngine({ agents: { work: held } });
    await test.start(one());
    await test.untilIdle();
    await test.engine.close();
    expect([held.calls.length, held.cleanups]).toEqual([1, 1]);
  });

  it("CANCEL-2 runs for an agent that comes with its workflow", async () => {
    const held = new Held();
    await using test = await openTestEngine();
    await test.start(workflow("own").step("a", { timeout: "1s" }, agent("held", held)));
    await test.advance("6s");
    expect(held.cleanups).toBe(1);
  });

  it("CANCEL-2 leaves the other attempts of the same agent alone", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held } });
    await test.start(one(SECOND));
    const other = await test.start(one({ timeout: durationMs(60_000) }));
    await test.advance("6s");
    expect([held.calls.length, held.cleanups]).toEqual([2, 1]);
    held.calls[1]!.resolve("in time");
    expect(await other.result()).toBe("in time");
    expect(held.cleanups).toBe(2);
  });

  it("FAIL-2 runs for every attempt of a step", async () => {
    const held = new Held();
    await using test = await openTestEngine({ agents: { work: held } });
    const retry = { attempts: 2, base: durationMs(1000), on: ["timeout" as const] };
    const handle = await test.start(one({ ...SECOND, retry }));
    await test.advance("1m");
    expect((await handle.status()).status).toBe("failed");
    expect([held.calls.length, held.cleanups]).toEqual([2, 2]);
  });
});

describe("the clean-up of an attempt that is given up", () => {
  const fixture = useThreadFixture();

  it("CONTRACT-10 CANCEL-2 runs for a module in this process", async () => {
    const base = new URL("../../src/agents/agent.ts", import.meta.url).href;
    const path = fixture.module(`import { BaseAgent } from ${JSON.stringify(base)};
      export default class extends BaseAgent {
        perform(_, { log }) { log.info("called"); this.log = log; return new Promise(() => {}); }
        cleanup() { this.log.info("cleaned up"); }
      }`);
    const { attempt, running } = start(moduleAgent(path, "default"));
    await attempt.said("called");
    running.abort(true, "enough");
    await macrotask();
    expect(attempt.lines.map(({ message }) => message)).toEqual(["called", "cleaned up"]);
  });

  it("CANCEL-1 does not run where the work was never called", async () => {
    const held = new Held();
    const { attempt, running } = start(held);
    running.abort(true, "enough");
    await attempt.whenExited;
    await macrotask();
    expect([held.calls.length, held.cleanups]).toEqual([0, 0]);
  });

  it("CANCEL-2 waits until the turn that gave it up has let go", async () => {
    const held = new Held();
    const { running } = start(held);
    await untilCalled(held);
    running.abort(true, "enough");
    expect(held.cleanups).toBe(0);
    await macrotask();
    expect(held.cleanups).toBe(1);
  });

  it("CANCEL-2 is part of what may still run of it", async () => {
    const held = new HeldTwice();
    const { attempt, running } = start(held);
    await untilCalled(held);
    running.abort(true, "enough");
    await macrotask();
    held.calls[0]!.resolve("too late");
    await macrotask();
    expect(attempt.calls).toEqual([]);
    held.cleaned.resolve();
    await macrotask();
    expect([attempt.calls, held.cleanups]).toEqual([["exited"], 1]);
  });

  it("CANCEL-2 does not run again where it was under way already", async () => {
    const held = new HeldTwice();
    const { running } = start(held);
    await untilCalled(held);
    held.calls[0]!.resolve("done");
    await macrotask();
    expect(held.cleanups).toBe(1);
    running.abort(true, "enough");
    await macrotask();
    expect(held.cleanups).toBe(1);
  });
});

describe("a clean-up that breaks after its attempt was given up", () => {
  let unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  beforeEach(() => {
    unhandled = [];
    process.on("unhandledRejection", note);
  });
  afterEach(() => void process.off("unhandledRejection", note));

  class Throws extends Held {
    override cleanup(): void {
      void super.cleanup();
      throw new Error("cannot clean up");
    }
  }

  class Rejects extends Held {
    override async cleanup(): Promise<void> {
      await super.cleanup();
      throw new Error("cannot clean up");
    }
  }

  it.each([
    ["throws", new Throws()],
    ["rejects", new Rejects()],
  ])("FAIL-1 because it %s disturbs nobody, neither then nor when its work settles", async (_, held) => {
    const faults: unknown[] = [];
    await using test = await openTestEngine({ agents: { work: held }, onFault: (error) => faults.push(error) });
    const handle = await test.start(one(SECOND));
    await test.advance("1s");
    await macrotask();
    held.calls[0]!.resolve("too late");
    await test.advance("1s");
    await macrotask();
    expect(await handle.status()).toMatchObject({ status: "failed", failure: { code: "ATTEMPT_TIMEOUT" } });
    expect([held.cleanups, faults, unhandled]).toEqual([1, [], []]);
  });

  it("FAIL-1 because the agent throws when it is asked for it disturbs nobody", async () => {
    const called = Promise.withResolvers<void>();
    let asked = 0;
    const odd: Agent = {
      execute: () => new Promise(() => called.resolve()),
      get abandoned(): never {
        asked++;
        throw new Error("hands off");
      },
    };
    const { running } = start(odd);
    await called.promise;
    running.abort(true, "enough");
    await macrotask();
    expect([asked, unhandled]).toEqual([1, []]);
  });
});

describe("a clean-up that throws", () => {
  class Breaks extends BaseAgent {
    readonly #work: () => unknown;

    constructor(work: () => unknown) {
      super();
      this.#work = work;
    }

    override perform(): unknown {
      return this.#work();
    }

    override cleanup(): never {
      throw new TypeError("cannot clean up");
    }
  }

  const throwing = (error: unknown) => (): never => {
    throw error;
  };

  async function readOutcome(work: () => unknown): Promise<Outcome> {
    return start(new Breaks(work)).attempt.outcome;
  }

  it("FAIL-1 leaves the failure as it was thrown by the work, and its class too", async () => {
    const failure = { class: "transient", code: "Error", message: "busy" };
    expect(await readOutcome(throwing(new Error("busy")))).toMatchObject({ kind: "failed", failure });
    expect(await readOutcome(() => Promise.reject(new Error("busy")))).toMatchObject({ kind: "failed", failure });
    expect(await readOutcome(throwing(Object.freeze(new Error("busy"))))).toMatchObject({ kind: "failed", failure });
  });

  it("FAIL-1 fails an attempt whose work is done", async () => {
    const failure = { class: "permanent", code: "TypeError", message: "cannot clean up" };
    expect(await readOutcome(() => "done")).toMatchObject({ kind: "failed", failure });
  });

  it("FAIL-2 does not keep the work from being tried again", async () => {
    let calls = 0;
    const work = (): never => {
      calls++;
      throw new Error("busy");
    };
    await using test = await openTestEngine({ agents: { work: new Breaks(work) } });
    const handle = await test.start(one({ retry: { attempts: 2, base: durationMs(1000) } }));
    await test.advance("1m");
    const [failed] = await readEvents(handle, "step.failed");
    expect([calls, failed!.failure.message]).toEqual([2, "busy"]);
  });
});
