// Actions of the planner with readable ids: `uuid(7)` ends with a 7.

import type { Json } from "@segno/kernel";
import { action, type Action, type ActionFields } from "@segno/planner";
import { ActionExecutor, type ActionNode } from "../../src/index.ts";
import { openTestEngine, type TestEngine } from "@segno/engine/testing";

export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export const WORKFLOW = uuid(999);

/** The action with this number; its lease has the number plus 100. */
export function numbered(number: number, fields: Partial<ActionFields> = {}): Action {
  return action(
    {
      actionId: uuid(number),
      actionType: "compute",
      targetNodeType: "NodeCompute",
      leaseId: uuid(number + 100),
      epoch: 0,
      payload: { workflow_id: WORKFLOW, step_id: uuid(number + 200), step_name: `step ${number}` },
      createdAt: "2026-01-01T00:00:00.000Z",
      ...fields,
    },
    { newId: () => uuid(0), now: () => 0 },
  );
}

export function after(number: number, ...dependencies: readonly number[]): Action {
  return numbered(number, { dependencies: dependencies.map(uuid) });
}

export function toNumber({ actionId }: { readonly actionId: string }): number {
  return Number(actionId.slice(-12));
}

/** Records the action and epoch of each call, and then runs the given work. */
export class NotingNode {
  readonly calls: [action: number, epoch: number][] = [];
  readonly #work: ActionNode;

  constructor(work: ActionNode = (given) => toNumber(given)) {
    this.#work = work;
  }

  readonly node: ActionNode = (given, context, results) => {
    this.calls.push([toNumber(given), given.epoch]);
    return this.#work(given, context, results);
  };
}

export interface Bench {
  readonly test: TestEngine;
  readonly noting: NotingNode;
  /** The executor of the current engine. */
  executor(): ActionExecutor;
}

/** An engine in virtual time with one node for all actions. */
export async function openBench(work?: ActionNode): Promise<Bench & AsyncDisposable> {
  const test = await openTestEngine();
  const noting = new NotingNode(work);
  return {
    test,
    noting,
    executor: () => new ActionExecutor(test.engine, { NodeCompute: noting.node }),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

export async function findProblems(work: Promise<unknown>): Promise<readonly (readonly [string, string])[]> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) =>
      thrown as { readonly problems?: readonly { readonly reason: string; readonly path: string }[] },
  );
  return (error?.problems ?? []).map(({ reason, path }) => [reason, path]);
}

export function throughJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
