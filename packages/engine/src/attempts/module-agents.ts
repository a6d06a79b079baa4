// The agents that workflows define as modules.

import { existsSync } from "node:fs";
import type { AgentDefinition } from "@segno/kernel";
import type { Agent } from "../agents/agent.ts";
import { moduleAgent } from "../runners/module-agent.ts";
import { modulePath } from "../runners/module-path.ts";
import type { Attempt } from "../runners/runner.ts";
import type { ModuleResolver, ThreadModule } from "../runners/thread/thread-runner.ts";

export class ModuleAgents implements ModuleResolver {
  /** The folder in which module paths are resolved. */
  readonly #cwd: string;
  readonly #agents = new Map<string, Agent>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The module agent that a workflow defines under this name, if it runs in this process. */
  find(name: string, definition: AgentDefinition | undefined): Agent | undefined {
    if (definition?.module === undefined || definition.thread === true) return undefined;
    const { path, exportName } = this.#locate(definition);
    const key = `${path}\n${exportName}\n${name}`;
    const agent = this.#agents.get(key) ?? moduleAgent(path, exportName, name);
    this.#agents.set(key, agent);
    return agent;
  }

  /** The module of an agent that runs on a thread. */
  resolve({ agentDefinition }: Attempt): ThreadModule {
    return this.#locate(agentDefinition ?? {});
  }

  /** Whether the file of a module is there. */
  exists(definition: AgentDefinition | undefined): boolean {
    return definition !== undefined && existsSync(this.#locate(definition).path);
  }

  #locate({ module = "", export: exportName = "default" }: AgentDefinition): ThreadModule {
    return { path: modulePath(this.#cwd, module), exportName };
  }
}
