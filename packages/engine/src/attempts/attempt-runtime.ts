// The attempt runtime: the runners with the secrets, masks, logs and modules that attempts need.
//
//   W1. Every outcome, output and log line of an attempt is masked before it leaves the runtime (DATA-9).
//   W2. Before any step of an execution runs, all secrets that its workflow names are resolved, including those of
//       other steps: a step may read what another one left behind, and after a restart nothing else would know what to
//       mask.
//   W3. If no workflow names a secret, all this costs nothing.

import {
  compiledStep,
  executionId,
  type AgentDefinition,
  type Failure,
  type Outcome,
  type Program,
  type State,
  type StepIndex,
} from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import type { Environment } from "../clock/environment.ts";
import type { Logger, StepLogger } from "../events/logger.ts";
import { LogWriter, type AttemptLog } from "../logs/log-writer.ts";
import { stepLogger } from "../logs/step-logger.ts";
import { StepOutputCapture } from "../events/step-output.ts";
import { maskedOutcome } from "../secrets/masked-outcome.ts";
import type { Mask, Masker } from "../secrets/masker.ts";
import { ReachableSecrets } from "../secrets/reachable-secrets.ts";
import { Secrets, type Resolved } from "../secrets/secrets.ts";
import { environmentSecrets, providedSecrets, type SecretProvider, type SecretSource } from "../secrets/source.ts";
import type { ProcessTable } from "../store/process-table.ts";
import type { AttemptName, StepLogs } from "../store/step-logs.ts";
import { NO_SECRETS, type AttemptServices, type StepAttempt } from "./step-attempt.ts";
import type { Agent } from "../agents/agent.ts";
import { FailureRules, type FailureOptions } from "../runners/failure-rules.ts";
import { FunctionRunner } from "../runners/function-runner.ts";
import { HttpRunner, type HttpOptions } from "../runners/http/http-runner.ts";
import { moduleAgent, modulePath } from "../runners/module-agent.ts";
import { INHERITED_VARIABLES, inheritedVariables } from "../runners/process/child-environment.ts";
import { attemptMarker } from "../runners/process/attempt-marker.ts";
import { endOrphans } from "../runners/process/orphans.ts";
import { ProcessRunner } from "../runners/process/process-runner.ts";
import type { Attempt } from "../runners/runner.ts";
import { Runners } from "../runners/runners.ts";
import { ThreadRunner, type ThreadModule } from "../runners/thread/thread-runner.ts";

/** The engine options for attempts. */
export interface AttemptOptions {
  /** The folder in which commands run and module paths are resolved; by default the process's working directory. */
  readonly cwd?: string;
  /** Environment variables that commands inherit in addition to the defaults; a trailing `*` matches any suffix. */
  readonly inheritEnv?: readonly string[];
  /** The source of secrets; by default the environment. */
  readonly secrets?: SecretSource | SecretProvider;
  /** Callbacks that classify and resolve failures (FAIL-7). */
  readonly failures?: FailureOptions;
  /** Private addresses that HTTP steps may reach (by default none), and limits of requests. */
  readonly http?: Partial<Pick<HttpOptions, "allowPrivate" | "limits">>;
  /**
   * The destination of `console`, stdout and stderr of functions in this process. Their output always goes to the log
   * of their step, masked. `terminal` (the default) also shows it on the terminal, masked; `log` does not, for programs
   * that control the terminal themselves.
   */
  readonly functionOutput?: "terminal" | "log";
}

export interface AttemptRuntimeOptions {
  readonly environment: Environment;
  readonly logger: Logger;
  /** Stores logs and the process table; a store without these is supported. */
  readonly store: Partial<StepLogs & ProcessTable>;
  /** Distinguishes the processes of this store from those of others. */
  readonly storeId: string;
  /** Whether another process may have owned the store before. */
  readonly isShared: boolean;
  readonly cwd: string;
  readonly inherit: readonly string[];
  readonly secrets: SecretSource;
  /** The program of a workflow that a step calls. */
  readonly workflow: (name: string) => Program | undefined;
  readonly masker: Masker;
  readonly functionOutput: "terminal" | "log";
  readonly failures: FailureOptions;
  readonly http: Partial<Pick<HttpOptions, "allowPrivate" | "limits">>;
  /** The time limit for user callbacks. */
  readonly limit: CallbackLimit;
  readonly report: (error: unknown) => void;
}

/** The store that attempts write to. */
interface AttemptStore {
  readonly store: AttemptRuntimeOptions["store"];
  /** Absent if no other process can own the store. */
  readonly storeId?: string;
}

/** Creates the runtime from the engine's options. */
export function openAttemptRuntime(
  {
    store,
    storeId,
    cwd = process.cwd(),
    inheritEnv = [],
    secrets,
    failures = {},
    http = {},
    functionOutput = "terminal",
  }: AttemptOptions & AttemptStore,
  ports: Pick<AttemptRuntimeOptions, "environment" | "logger" | "masker" | "workflow" | "limit" | "report">,
): AttemptRuntime {
  return new AttemptRuntime({
    ...ports,
    store,
    storeId: storeId ?? ports.environment.id(),
    isShared: storeId !== undefined,
    cwd,
    inherit: [...INHERITED_VARIABLES, ...inheritEnv],
    secrets: secretSource(secrets),
    failures,
    http,
    functionOutput,
  });
}

function secretSource(secrets: AttemptOptions["secrets"]): SecretSource {
  if (secrets === undefined) return environmentSecrets(process.env);
  return typeof secrets === "function" ? providedSecrets(secrets) : secrets;
}

const NOTHING_REQUESTED: Resolved = Object.freeze({ kind: "values", values: NO_SECRETS });

export class AttemptRuntime implements AttemptServices {
  readonly runner: Runners;
  readonly logs: LogWriter;
  readonly #options: AttemptRuntimeOptions;
  readonly #masker: Masker;
  readonly #secrets: Secrets;
  readonly #rules: FailureRules;
  readonly #modules = new Map<string, Agent>();
  readonly #reachableSecrets: ReachableSecrets;
  /** Secrets whose values, if any, the masker knows. */
  readonly #maskedSecrets = new Set<string>();
  /** After close, nothing is written to the store. */
  #isClosed = false;

  constructor(options: AttemptRuntimeOptions) {
    const { environment, cwd, inherit, store, report } = options;
    this.#options = options;
    this.#masker = options.masker;
    const { limit } = options;
    const clock = {
      now: () => environment.monotonic(),
      after: (ms: number, callback: () => void) => limit.after(ms, callback),
    };
    this.#secrets = new Secrets({ source: options.secrets, masker: this.#masker, timeoutMs: limit.ms, clock });
    this.#reachableSecrets = new ReachableSecrets(options.workflow);
    this.#rules = new FailureRules(options.failures, options);
    const output = new StepOutputCapture({
      masker: this.#masker,
      hasLogs: isLogging(store),
      isShown: options.functionOutput === "terminal",
      addLate: (attempt, text) => this.#appendLateOutput(attempt, text),
    });
    this.logs = new LogWriter({
      ...options,
      later: limit.timer,
      store: isLogging(store) ? store : undefined,
      mask: this.#masker,
    });
    const table = isProcessTable(store) ? store : undefined;
    this.runner = new Runners({
      functions: new FunctionRunner(environment, this.#rules.classify, output),
      threads: new ThreadRunner({
        environment,
        report,
        env: inheritedVariables([...inherit, "NODE_*"], process.env),
        classify: this.#rules.classify,
        resolveModule: (attempt) => this.#resolveModule(attempt),
      }),
      processes: new ProcessRunner({ environment, cwd, inherit, table, report }),
      http: new HttpRunner({ environment, report, timer: limit.timer, ...options.http }),
    });
  }

  /** Kills the processes that a previous owner of this store left running; a store that is not shared had none. */
  async endOrphans(): Promise<void> {
    const { store, storeId, isShared } = this.#options;
    if (!isShared) return;
    await endOrphans(isProcessTable(store) ? store : undefined, `${storeId}.`);
  }

  /** The module agent that a workflow defines, if it runs in this process. */
  moduleAgent(definition: AgentDefinition | undefined): Agent | undefined {
    if (definition?.module === undefined || definition.thread === true) return undefined;
    const { path, exportName } = this.#module(definition);
    const key = `${path}\n${exportName}`;
    const agent = this.#modules.get(key) ?? moduleAgent(path, exportName);
    this.#modules.set(key, agent);
    return agent;
  }

  #resolveModule({ agentDefinition }: Attempt): ThreadModule {
    return this.#module(agentDefinition ?? {});
  }

  #module({ module = "", export: exportName = "default" }: AgentDefinition): ThreadModule {
    return { path: modulePath(this.#options.cwd, module), exportName };
  }

  /** The secrets that a step requested; `undefined` if no enclosing workflow names any (W3). */
  secretsFor({ owner, stepIndex, effect }: StepAttempt): Promise<Resolved> | undefined {
    const named = this.#reachableSecrets.around(owner.state);
    if (named.length === 0) return undefined;
    return this.#resolve(named, requestedSecrets(owner.state, stepIndex, effect.secrets));
  }

  /** Why the secrets of a step that was about to run cannot be resolved here. */
  async secretProblemAt(state: State, step: StepIndex): Promise<Failure | undefined> {
    const resolved = await this.#secrets.resolve(requestedSecrets(state, step, state.calls.get(step)?.secrets ?? []));
    return resolved.kind === "failure" ? resolved.failure : undefined;
  }

  /** Whether requests may reach any private address at all. */
  get mayReachPrivate(): boolean {
    const { allowPrivate = false } = this.#options.http;
    return typeof allowPrivate === "boolean" ? allowPrivate : allowPrivate.length > 0;
  }

  /** Why a workflow's secrets cannot be resolved, unless the failure is transient. */
  async secretProblem(program: Program): Promise<Failure | undefined> {
    const resolved = await this.#secrets.resolve(this.#reachableSecrets.of(program));
    return resolved.kind === "failure" && resolved.failure.class === "permanent" ? resolved.failure : undefined;
  }

  async #resolve(named: readonly string[], requested: readonly string[]): Promise<Resolved> {
    const unknown = named.filter((name) => !this.#maskedSecrets.has(name));
    const failed = unknown.length === 0 ? undefined : await this.#preloadAll(unknown);
    if (failed !== undefined) return failed;
    return requested.length === 0 ? NOTHING_REQUESTED : this.#secrets.resolve(requested);
  }

  async #preloadAll(names: readonly string[]): Promise<Resolved | undefined> {
    const results = await Promise.all(names.map((name) => this.#preload(name)));
    return results.find((result) => result !== undefined);
  }

  /**
   * A missing secret fails only the step that requests it. While a secret cannot be resolved, nothing runs, because its
   * value could not be masked (W2).
   */
  async #preload(name: string): Promise<Resolved | undefined> {
    const resolved = await this.#secrets.resolve([name]);
    if (resolved.kind === "failure" && resolved.failure.class !== "permanent") return resolved;
    this.#maskedSecrets.add(name);
    return undefined;
  }

  /** Unique for every attempt, because each one has a higher epoch. */
  marker(attempt: StepAttempt): string {
    return attemptMarker(this.#options.storeId, attempt);
  }

  get callbackTimeoutMs(): number {
    return this.#options.limit.ms;
  }

  get mask(): Mask {
    return this.#masker;
  }

  /** The attempt's own log is closed, so this opens another one with the same name. */
  #appendLateOutput(attempt: AttemptName, text: string): void {
    if (this.#isClosed) return;
    const log = this.logs.open(attempt);
    log.wrote("stderr", Buffer.from(text));
    log.close();
  }

  openLog({ execution, step, attempt }: StepAttempt): AttemptLog {
    return this.logs.open({ execution: executionId(execution), step, attempt });
  }

  /** A function's log lines go to the engine's logger and to the log of its step. */
  newLogger(attempt: StepAttempt): StepLogger {
    const { execution, workflow, step, attempt: number, owner } = attempt;
    const correlationId = owner.state.created?.correlationId;
    const ids = { executionId: execution, workflow, correlationId, step, attempt: number };
    return stepLogger(this.#options.logger.child(ids), (text) => attempt.openLog().line(this.#masker.text(text)));
  }

  /** The outcome as it may be recorded (W1). */
  finishOutcome(outcome: Outcome, attempt: StepAttempt): Outcome | Promise<Outcome> {
    const resolved = this.#rules.resolve(outcome, attempt);
    if (!(resolved instanceof Promise)) return maskedOutcome(resolved, this.#masker);
    return resolved.then((late) => maskedOutcome(late, this.#masker));
  }

  async close(): Promise<void> {
    await this.runner.close();
    this.#isClosed = true;
    await this.logs.flush();
  }
}

/** The secrets that the step names, and those in its rendered call. */
function requestedSecrets(
  state: State,
  step: StepIndex,
  injected: readonly { readonly secret: string }[],
): readonly string[] {
  const { secrets = [] } = compiledStep(state, step).definition;
  return [...new Set([...secrets, ...injected.map(({ secret }) => secret)])];
}

function isLogging(store: Partial<StepLogs>): store is StepLogs {
  return store.appendLogs !== undefined;
}

function isProcessTable(store: Partial<ProcessTable>): store is ProcessTable {
  return store.noteProcess !== undefined;
}
