// Makes an engine run code workflows on repositories of this machine: any process that opens the engine can go on with them.

import type { Engine, StepContext } from "@segno/engine";
import type { EventPort } from "../events/event-port.ts";
import { SESSIONS_MAX } from "../sessions/session-manager.ts";
import { registerSteps } from "../steps/register-steps.ts";
import type { StepRuntime } from "../steps/step-runtime.ts";
import type { CodeSettings } from "../steps/step-values.ts";
import { permanentError } from "../steps/permanent-error.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { CodeError } from "../errors/code-error.ts";
import { OpenRepository } from "./open-repository.ts";

export interface RegisterCodeOptions {
  readonly taskBackend: TaskBackend;
  readonly eventPort: EventPort;
  /** Identifies the owner of claims. It has to be the same after a restart. */
  readonly executorId: string;
  readonly maxConcurrentSessions?: number;
}

/** Gives back how to close the repositories that were opened. */
export function registerCode(engine: Engine, options: RegisterCodeOptions): () => Promise<void> {
  const repositories = new Map<string, Promise<OpenRepository>>();
  const runtimes = new Map<string, Promise<StepRuntime>>();
  const open = (folder: string): Promise<OpenRepository> => {
    const opened = repositories.get(folder) ?? OpenRepository.open(folder);
    repositories.set(folder, opened);
    // The next step tries again.
    opened.catch(() => repositories.delete(folder));
    return opened;
  };
  registerSteps(engine, async (settings, context) => {
    const { repository } = settings;
    if (repository === undefined)
      throw permanentError(new CodeError("REPOSITORY_MISSING", "the execution names no repository"));
    const { executionId } = context;
    const runtime = runtimes.get(executionId) ?? openRuntime(engine, await open(repository), settings, options);
    runtimes.set(executionId, runtime);
    runtime.catch(() => runtimes.delete(executionId));
    return await runtime;
  });
  return async () => {
    for (const opened of repositories.values()) await opened.then((each) => each[Symbol.asyncDispose](), ignore);
  };
}

function ignore(): void {}

async function openRuntime(
  engine: Engine,
  opened: OpenRepository,
  settings: CodeSettings,
  { taskBackend, eventPort, executorId, maxConcurrentSessions = SESSIONS_MAX }: RegisterCodeOptions,
): Promise<StepRuntime> {
  const ports = opened.ports(settings, taskBackend, eventPort);
  return {
    ports,
    sessions: opened.sessions(ports, maxConcurrentSessions),
    executorId,
    processes: (context: StepContext) => ({ start: (command) => engine.extensions.spawn(context, command) }),
    maskText: (text) => engine.mask(text),
    pause: async (id) => void (await (await engine.get(id)).pause()),
  };
}
