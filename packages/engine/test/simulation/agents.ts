// Simulated agents: the seed chooses their behaviour, good or bad.
//
// Every run has a number, which is part of its result or error (`#12#`). So the ledger can attribute a result in an
// event to its run.

import { PermanentError, RetryAfterError, type Json } from "@segno/kernel";
import { expand } from "../../src/agents/expansion.ts";
import { skip } from "../../src/agents/skip.ts";
import type { HandlerContext, StepContext } from "../../src/agents/step-context.ts";
import type { SimulatedEnvironment } from "../../src/testing/simulated-environment.ts";
import { ROOMY } from "./workflows.ts";

export const BEHAVIOURS = [
  "succeed",
  "succeed late",
  "succeed large",
  "throw transient",
  "throw permanent",
  "ask to wait",
  "throw a string",
  "throw at once",
  "return no JSON",
  "skip",
  "return steps",
  "never settle",
  "ignore the signal",
  "settle twice",
  "clean up slowly",
] as const;

export type Behaviour = (typeof BEHAVIOURS)[number];

const WEIGHTS: Readonly<Record<Behaviour, number>> = {
  succeed: 50,
  "succeed late": 14,
  "succeed large": 2,
  "throw transient": 8,
  "throw permanent": 3,
  "ask to wait": 2,
  "throw a string": 2,
  "throw at once": 2,
  "return no JSON": 2,
  skip: 3,
  "return steps": 3,
  "never settle": 2,
  "ignore the signal": 12,
  "settle twice": 3,
  "clean up slowly": 4,
};
const WEIGHT = Object.values(WEIGHTS).reduce((sum, weight) => sum + weight, 0);

type CallingContext = HandlerContext<unknown>;

/** Checks what agents do and get. */
export interface AgentWitness {
  begun(run: number, context: StepContext): void;
  /** The work of a recorded call began. */
  called(context: StepContext, name: string): void;
  /** A recorded call has returned this value. */
  returned(context: StepContext, name: string, value: Json): void;
}

const LARGE = "x".repeat(70_000);

export class Agents {
  readonly counts: Map<Behaviour, number> = new Map();
  /** When faults stop, agents behave. */
  isCalm = false;
  /** Most runs take so long that a crash hits them. */
  isSlow = false;
  makesCalls = false;
  #runs = 0;

  /** Does the work of one attempt in a process. `witness` gets the number of the run first. */
  run(process: SimulatedEnvironment, context: StepContext, witness: AgentWitness): unknown {
    const run = ++this.#runs;
    witness.begun(run, context);
    const chosen = this.#choose(process);
    const behaviour = possible(chosen, context.step.id);
    this.counts.set(behaviour, (this.counts.get(behaviour) ?? 0) + 1);
    if (!this.makesCalls) return this.#behave(behaviour, run, process, context);
    return this.#call(run, process, context as CallingContext, witness).then(() =>
      this.#behave(behaviour, run, process, context),
    );
  }

  /** Makes a few recorded calls, one after the other and at the same time. */
  async #call(
    run: number,
    process: SimulatedEnvironment,
    context: CallingContext,
    witness: AgentWitness,
  ): Promise<void> {
    const call = async (given: string, name: string): Promise<void> => {
      const value = await context.run(given, async () => {
        witness.called(context, name);
        await process.sleep(this.isCalm ? 1 : process.world.random.pick([5, 30, 30, 4000]), `run ${run}`);
        return `#${run}# ${name}`;
      });
      witness.returned(context, name, value);
    };
    await call("one", "one");
    await Promise.all([call("two", "two"), call("two", "two#2"), call("three", "three")]);
  }

  #choose(process: SimulatedEnvironment): Behaviour {
    if (this.isCalm) return "succeed";
    if (this.isSlow && process.world.random.percent(90)) return "clean up slowly";
    let weight = process.world.random.below(WEIGHT);
    return BEHAVIOURS.find((behaviour) => (weight -= WEIGHTS[behaviour]) < 0) ?? "succeed";
  }

  #behave(behaviour: Behaviour, run: number, process: SimulatedEnvironment, { signal }: StepContext): unknown {
    const { random } = process.world;
    const mark = `#${run}#`;
    const sleep = (most: number): Promise<void> => process.sleep(random.below(most), `run ${run}`);
    switch (behaviour) {
      case "succeed":
        return random.percent(30) ? mark : stopped(signal, sleep(20)).then(() => ({ mark }));
      case "succeed late":
        return stopped(signal, sleep(2500)).then(() => [mark]);
      case "succeed large":
        return sleep(30).then(() => ({ mark, large: LARGE }));
      case "throw transient":
        return sleep(300).then(() => fail(new Error(mark)));
      case "throw permanent":
        return sleep(300).then(() => fail(new PermanentError(mark)));
      case "ask to wait":
        return sleep(50).then(() => fail(new RetryAfterError(mark, random.below(2000))));
      case "throw a string":
        return sleep(50).then(() => fail(mark));
      case "throw at once":
        throw new Error(mark);
      case "return no JSON":
        return sleep(50).then(() => random.pick<unknown>([1n, () => 1, Number.NaN, cycle()]));
      case "skip":
        return sleep(50).then(() => skip(mark));
      case "return steps":
        return sleep(50).then(() => further(random.percent(50), random.percent(10)));
      case "never settle":
        return new Promise(() => undefined);
      case "ignore the signal":
        return sleep(random.pick([100, 400, 1500, 9000])).then(() => ({ mark }));
      case "settle twice":
        return twice(sleep(100), sleep(400), mark);
      case "clean up slowly":
        return stopped(signal, sleep(4000), () => sleep(600)).then(() => ({ mark }));
    }
  }
}

/** Limits the nesting of scopes, and lets steps that hold the room resource end. */
function possible(chosen: Behaviour, stepId: string): Behaviour {
  if (chosen === "never settle" && ROOMY.test(stepId)) return "ignore the signal";
  return chosen === "return steps" && stepId.split("/").length > 3 ? "succeed" : chosen;
}

function fail(error: unknown): never {
  // oxlint-disable-next-line no-throw-literal
  throw error;
}

/** Two steps, of which one may have no agent. */
function further(hasResult: boolean, isBroken: boolean): unknown {
  const second = { id: "e1", agent: "worker0", dependsOn: [isBroken ? "nobody" : "e0"] };
  return expand([{ id: "e0", agent: "worker1" }, second], hasResult ? { result: "e1" } : {});
}

function cycle(): unknown {
  const self: Record<string, unknown> = {};
  self["self"] = self;
  return self;
}

/** A foreign thenable that resolves and then rejects. */
function twice(first: Promise<void>, second: Promise<void>, mark: string): PromiseLike<string> {
  const thenable = {
    // oxlint-disable-next-line unicorn/no-thenable
    then: (resolve: (value: string) => void, reject: (error: unknown) => void): void => {
      void first.then(() => resolve(mark));
      void second.then(() => {
        resolve(`${mark} again`);
        reject(new Error(mark));
      });
    },
  };
  return thenable as unknown as PromiseLike<string>;
}

/** Waits for the work. If the signal aborts, it stops after the clean-up. */
function stopped(signal: AbortSignal, work: Promise<void>, cleanUp?: () => Promise<void>): Promise<void> {
  const aborted = new Promise<void>((_, reject) => {
    const stop = (): void => {
      void (cleanUp?.() ?? Promise.resolve()).then(() => reject(signal.reason as Error));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([work, aborted]);
}
