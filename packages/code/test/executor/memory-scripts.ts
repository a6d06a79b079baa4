// Templates and scripted agents for executors whose ports are in memory.

import { setImmediate } from "node:timers/promises";
import type { AgentScript } from "../../src/agents/memory-agents.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import type { CodeTemplate } from "../../src/template/template.ts";
import type { MemoryExecutor } from "./memory-executor.ts";

export function template(text: string): CodeTemplate {
  return loadTemplate({ text });
}

/** A template whose tasks have these ids and do not wait for each other. */
export function independent(...ids: readonly string[]): CodeTemplate {
  return template(`name: independent\ntasks:\n${ids.map((id) => `  - { id: ${id}, instructions: ${id} }\n`).join("")}`);
}

/** An agent that writes one file. */
export function writes(test: () => Pick<MemoryExecutor, "workspaces">, path: string, text: string): AgentScript {
  return ({ request }) => {
    test().workspaces.write(workspaceOf(request.workspacePath), path, text);
    return undefined;
  };
}

/** An agent that works until it is told to stop. */
export function hangs(onStart: () => void = () => undefined): AgentScript {
  return ({ signal }) => {
    onStart();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
    return promise;
  };
}

/** An agent that works until the gate is opened, and says when it has begun. */
export class Gate {
  readonly #begun = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<undefined>();

  readonly script: AgentScript = async () => {
    this.#begun.resolve();
    return await this.#opened.promise;
  };

  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  open(): void {
    this.#opened.resolve(undefined);
  }
}

export function workspaceOf(path: string): string {
  return path.replace("/memory/", "");
}

/** Waits until the check holds, turn by turn of the event loop. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await setImmediate();
}
