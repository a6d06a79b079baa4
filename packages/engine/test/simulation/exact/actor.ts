// The agents of planned runs: each attempt follows its act, and every call is recorded.

import { PermanentError, RetryAfterError, type Json } from "@segno/kernel";
import type { AgentFunction } from "../../../src/agents/agent.ts";
import { expand } from "../../../src/agents/expansion.ts";
import { skip } from "../../../src/agents/skip.ts";
import type { StepContext } from "../../../src/agents/step-context.ts";
import type { SimulatedEnvironment } from "../../../src/testing/simulated-environment.ts";
import { toAct, type Act } from "./act.ts";
import { AGENTS } from "./definitions.ts";

/** A call of an agent. */
export interface ActorCall {
  /** The elapsed time since the beginning of the run, independent of the wall clock. */
  readonly atMs: number;
  readonly execution: string;
  readonly step: string;
  readonly attempt: number;
  readonly input: Json;
  readonly token: string;
}

export class Actor {
  readonly calls: ActorCall[] = [];
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The agents of one process. */
  agentsIn(environment: SimulatedEnvironment): Readonly<Record<string, AgentFunction>> {
    const act: AgentFunction = (input, context) => this.#act(environment, input, context);
    return Object.fromEntries(AGENTS.map((name) => [name, act]));
  }

  async #act(environment: SimulatedEnvironment, input: Json, context: StepContext): Promise<unknown> {
    const { attempt, token, signal } = context;
    const [execution, step] = [context.execution.id, context.step.id];
    this.calls.push({ atMs: environment.world.elapsedMs, execution, step, attempt, input, token });
    const act = toAct(this.#seed, execution, step, attempt);
    const output = `${step}#${attempt}`;
    const isOver = await playUntilStopped(environment, act, signal);
    return isOver ? readEnd(act, output) : stop(environment, act, output, signal);
  }
}

/** Resolves to true if the act ended before it was told to stop. */
function playUntilStopped(environment: SimulatedEnvironment, act: Act, signal: AbortSignal): Promise<boolean> {
  const end = environment.sleep(act.afterMs, "end of an attempt").then(() => true);
  if (act.onAbort === "ignore") return end;
  const stopped = new Promise<boolean>((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener("abort", () => resolve(false), { once: true });
  });
  return Promise.race([end, stopped]);
}

async function stop(
  environment: SimulatedEnvironment,
  act: Act,
  output: string,
  signal: AbortSignal,
): Promise<unknown> {
  if (act.cleanUpMs > 0) await environment.sleep(act.cleanUpMs, "cleaning up");
  if (act.onAbort === "return") return output;
  throw signal.reason;
}

function readEnd({ end, retryAfterMs }: Act, output: string): unknown {
  switch (end) {
    case "succeed":
      return output;
    case "skip":
      return skip("nothing to do");
    case "expand":
      return expand([
        { id: "e0", agent: "worker1" },
        { id: "e1", agent: "worker0", dependsOn: ["e0"] },
      ]);
    case "transient":
      throw new Error("it failed");
    case "permanent":
      throw new PermanentError("it will always fail");
    case "wait":
      throw new RetryAfterError("not now", retryAfterMs);
  }
}
