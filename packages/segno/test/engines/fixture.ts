// Task engines on an engine whose time the test controls, and helpers to inspect them.

import { openTestEngine, type TestEngine } from "@segno/engine/testing";
import {
  createEngine,
  WorkflowDefinition,
  type EngineType,
  type TaskAction,
  type TaskOptions,
} from "../../src/engines.ts";
import type { ExecutionEngine, ParallelEngineOptions, TaskResult, WorkflowResult } from "../../src/engines.ts";
import { recordedLogger, type RecordedLogger } from "@segno/engine/testing";

export interface EngineFixture extends AsyncDisposable {
  readonly test: TestEngine;
  readonly logger: RecordedLogger;
  /** On the current process. */
  engine(type?: EngineType, options?: ParallelEngineOptions): ExecutionEngine;
}

export async function openFixture(): Promise<EngineFixture> {
  const test = await openTestEngine({ limits: { slots: 1000 } });
  const logger = recordedLogger();
  return {
    test,
    logger,
    engine: (type, options = {}) => createEngine(type, { engine: test.engine, logger, ...options }),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

export type Task = readonly [name: string, action?: TaskAction | null | undefined, options?: TaskOptions];

export function toWorkflow(...tasks: readonly Task[]): WorkflowDefinition {
  const workflow = new WorkflowDefinition("sample");
  for (const task of tasks) workflow.addTask(...task);
  return workflow;
}

export function toTask({ tasks }: WorkflowResult, name: string): TaskResult {
  return tasks.find((task) => task.name === name)!;
}

export function taskStates({ tasks }: WorkflowResult): Readonly<Record<string, string>> {
  return Object.fromEntries(tasks.map(({ name, state }) => [name, state]));
}

/** Records `begin` and `end`, and ends when the test releases it. */
export class HeldTask {
  readonly story: string[];
  readonly #name: string;
  readonly #end: PromiseWithResolvers<string> = Promise.withResolvers();

  constructor(name: string, story: string[]) {
    this.#name = name;
    this.story = story;
  }

  readonly action = async (): Promise<string> => {
    this.story.push(`${this.#name} begins`);
    const output = await this.#end.promise;
    this.story.push(`${this.#name} ends`);
    return output;
  };

  release(): void {
    this.#end.resolve(`from ${this.#name}`);
  }
}
