// Recording agents: agents that do little, undo it, fail or never end, and record all calls in one list.

import { loadContract } from "@segno/contract";
import { PermanentError, type Definition, type Json } from "@segno/kernel";
import { expand, type AgentFunction, type ExecutionHandle, type StepContext } from "../../src/index.ts";
import { openTestEngine, type TestEngine, type TestEngineOptions } from "../../src/testing/index.ts";

export function contract(yaml: string): Definition {
  return loadContract(yaml);
}

/** The recorded calls, and the agents that record them. */
export class RecordingAgents {
  /** Such as `do a`, `undo a`. */
  readonly said: string[] = [];
  /** The token of each call, by its record. */
  readonly tokens: (readonly [string, string])[] = [];
  readonly #gates = new Map<string, () => void>();
  /** The number of further calls that `undo` refuses, by name. */
  readonly refusals: Map<string, number> = new Map();

  get agents(): Readonly<Record<string, AgentFunction>> {
    return {
      // Returns its input.
      do: (input, context) => this.#say("do", context) && input,
      undo: (input, context) => this.#undo(typeof input === "string" ? input : JSON.stringify(input), context),
      fail: (_, context) => {
        this.#say("fail", context);
        throw new PermanentError("it fails");
      },
      // Ends when its signal aborts.
      until: (_, context) => {
        this.#say("until", context);
        return new Promise((_resolve, reject) => {
          context.signal.addEventListener("abort", () => reject(context.signal.reason as Error));
        });
      },
      // Returns a value when it is told to stop.
      finishes: (input, context) => {
        this.#say("finishes", context);
        return new Promise((resolve) => context.signal.addEventListener("abort", () => resolve(input)));
      },
      // Never ends.
      hang: (_, context) => {
        this.#say("hang", context);
        return new Promise(() => undefined);
      },
      // Ends when the test opens its gate.
      gate: (input, context) => {
        this.#say("gate", context);
        return new Promise((resolve) => this.#gates.set(context.step.id, () => resolve(input)));
      },
      // Expands into the steps of its input.
      open: (input, context) => {
        this.#say("open", context);
        return expand(input as never);
      },
    };
  }

  /** Lets `gate` of this step end. */
  pass(step: string): void {
    this.#gates.get(step)!();
  }

  /** The records of one agent, without its name. */
  by(agent: string): readonly string[] {
    return this.said.filter((each) => each.startsWith(`${agent} `)).map((each) => each.slice(agent.length + 1));
  }

  #undo(what: string, context: StepContext): Json {
    this.said.push(`undo ${what}`);
    this.tokens.push([`undo ${what}`, context.token]);
    const left = this.refusals.get(what) ?? 0;
    if (left === 0) return null;
    this.refusals.set(what, left - 1);
    throw new PermanentError(`${what} stays`);
  }

  #say(verb: string, { step, token }: StepContext): true {
    this.said.push(`${verb} ${step.id}`);
    this.tokens.push([`${verb} ${step.id}`, token]);
    return true;
  }
}

/** An engine in memory with its own recording agents. */
export async function runWorkflow(
  options: TestEngineOptions = {},
): Promise<{ test: TestEngine; recording: RecordingAgents }> {
  const recording = new RecordingAgents();
  const test = await openTestEngine({ ...options, agents: { ...recording.agents, ...options.agents } });
  return { test, recording };
}

/** The status of each step, by name. */
export async function statuses(handle: ExecutionHandle<unknown>): Promise<Readonly<Record<string, string>>> {
  const { steps } = await handle.status();
  return Object.fromEntries(steps.map(({ name, status }) => [name, status]));
}

/** The skip reason or the failure of a step. */
export async function stepDetail(handle: ExecutionHandle<unknown>, step: string): Promise<unknown> {
  return (await handle.status()).steps.find(({ name }) => name === step)?.detail;
}

/** The failure that ended the execution. */
export async function stepFailure(handle: ExecutionHandle<unknown>): Promise<unknown> {
  return (await handle.status()).failure;
}
