// The attempt runtime: everything that attempts are run with. It brings together the runners, secrets and their masks, logs and
// modules, so that whoever starts attempts asks in one place.
//
//   W1. Nothing of an attempt leaves here unmasked: not its outcome, not what it wrote, not what it logged (DATA-9).
//   W2. Before anything of an execution runs here, all secrets that its workflow names are asked for, also those of other
//       steps: a step may come upon what another one left, and after a restart nobody else would know what to mask.
//   W3. Where no workflow names a secret, none of this costs anything.

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
import { NO_SECRETS, type StepAttempt } from "./step-attempt.ts";
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

/** The engine options of how attempts run. */
export interface AttemptOptions {
  /** Where commands run, and where paths of modules begin; the working directory of the process when it is absent. */
  readonly cwd?: string;
  /** Environment variables that commands inherit, beside what every program needs; a `*` at the end stands for any rest. */
  readonly inheritEnv?: readonly string[];
  /** Where secrets come from; the environment when it is absent. */
  readonly secrets?: SecretSource | SecretProvider;
  /** What users know better about failures (FAIL-7). */
  readonly failures?: FailureOptions;
  readonly http?: Partial<Pick<HttpOptions, "allowPrivate" | "limits">>;
  /**
   * Where functions and modules of this process write with `console` and to stdout and stderr. What they write is kept with
   * the log of their step, masked; `terminal`, the default, also shows it there, masked. `log` does not: for programs that own
   * the terminal themselves.
   */
  readonly functionOutput?: "terminal" | "log";
}

export interface AttemptRuntimeOptions {
  readonly environment: Environment;
  readonly logger: Logger;
  /** Where logs are kept and processes noted; a store that cannot is done without. */
  readonly store: Partial<StepLogs & ProcessTable>;
  /** Tells the processes of this store from those of others. */
  readonly storeId: string;
  /** Whether another process may have had the store before. */
  readonly isShared: boolean;
  readonly cwd: string;
  readonly inherit: readonly string[];
  readonly secrets: SecretSource;
  /** The program of a workflow that a step names. */
  readonly workflow: (name: string) => Program | undefined;
  readonly masker: Masker;
  readonly functionOutput: "terminal" | "log";
  readonly failures: FailureOptions;
  readonly http: Partial<Pick<HttpOptions, "allowPrivate" | "limits">>;
  /** The time that callbacks of the user have. */
  readonly limit: CallbackLimit;
  readonly report: (error: unknown) => void;
}

/** The store that attempts write to. */
interface AttemptStore {
  readonly store: AttemptRuntimeOptions["store"];
  /** Absent where no other process ever has the store. */
  readonly storeId?: string;
}

/** The attempt runtime of an engine, as its options say. */
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

const NOTHING_ASKED: Resolved = Object.freeze({ kind: "values", values: NO_SECRETS });

export class AttemptRuntime {
  readonly runner: Runners;
  readonly logs: LogWriter;
  readonly #options: AttemptRuntimeOptions;
  readonly #masker: Masker;
  readonly #secrets: Secrets;
  readonly #rules: FailureRules;
  readonly #modules = new Map<string, Agent>();
  readonly #names: ReachableSecrets;
  /** Secrets whose values, if there are any, the masker knows. */
  readonly #known = new Set<string>();
  /** Nothing is written to the store any more. */
  #isClosed = false;

  constructor(options: AttemptRuntimeOptions) {
    const { environment, cwd, inherit, store, report } = options;
    this.#options = options;
    this.#masker = options.masker;
    const { limit } = options;
    const clock = {
      now: () => environment.monotonic(),
      after: (ms: number, ring: () => void) => limit.after(ms, ring),
    };
    this.#secrets = new Secrets({ source: options.secrets, masker: this.#masker, timeoutMs: limit.ms, clock });
    this.#names = new ReachableSecrets(options.workflow);
    this.#rules = new FailureRules(options.failures, options);
    const output = new StepOutputCapture({
      masker: this.#masker,
      hasLogs: isLogging(store),
      isShown: options.functionOutput === "terminal",
      addLate: (attempt, text) => this.#addLate(attempt, text),
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

  /** Ends what a former owner of this store left running; a store that only one process ever has leaves nobody. */
  async endOrphans(): Promise<void> {
    const { store, storeId, isShared } = this.#options;
    if (!isShared) return;
    await endOrphans(isProcessTable(store) ? store : undefined, `${storeId}.`);
  }

  /** The module that a workflow names for an agent, where it runs in this process. */
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

  /** The secrets that a step asked for; nothing where no workflow around it names any (W3). */
  secretsFor({ owner, stepIndex, effect }: StepAttempt): Promise<Resolved> | undefined {
    const named = this.#names.around(owner.state);
    if (named.length === 0) return undefined;
    return this.#resolve(named, askedSecrets(owner.state, stepIndex, effect.secrets));
  }

  /** Why the secrets of a step that was about to run cannot be had here. */
  async secretProblemAt(state: State, step: StepIndex): Promise<Failure | undefined> {
    const resolved = await this.#secrets.resolve(askedSecrets(state, step, state.calls.get(step)?.secrets ?? []));
    return resolved.kind === "failure" ? resolved.failure : undefined;
  }

  /** Whether requests may reach any private address at all. */
  get mayReachPrivate(): boolean {
    const { allowPrivate = false } = this.#options.http;
    return typeof allowPrivate === "boolean" ? allowPrivate : allowPrivate.length > 0;
  }

  /** Why a workflow's secrets cannot be had, unless it is only at the moment. */
  async secretProblem(program: Program): Promise<Failure | undefined> {
    const resolved = await this.#secrets.resolve(this.#names.of(program));
    return resolved.kind === "failure" && resolved.failure.class === "permanent" ? resolved.failure : undefined;
  }

  async #resolve(named: readonly string[], asked: readonly string[]): Promise<Resolved> {
    const unknown = named.filter((name) => !this.#known.has(name));
    const failed = unknown.length === 0 ? undefined : await this.#preloadAll(unknown);
    if (failed !== undefined) return failed;
    return asked.length === 0 ? NOTHING_ASKED : this.#secrets.resolve(asked);
  }

  async #preloadAll(names: readonly string[]): Promise<Resolved | undefined> {
    const answers = await Promise.all(names.map((name) => this.#preload(name)));
    return answers.find((answer) => answer !== undefined);
  }

  /**
   * One that is missing is told to the step that asks for it. While one cannot be asked for, nothing runs: nobody could mask
   * it (W2).
   */
  async #preload(name: string): Promise<Resolved | undefined> {
    const resolved = await this.#secrets.resolve([name]);
    if (resolved.kind === "failure" && resolved.failure.class !== "permanent") return resolved;
    this.#known.add(name);
    return undefined;
  }

  /** Names an attempt for good: the epoch rises with every one. */
  marker(attempt: StepAttempt): string {
    return attemptMarker(this.#options.storeId, attempt);
  }

  get callbackTimeoutMs(): number {
    return this.#options.limit.ms;
  }

  get mask(): Mask {
    return this.#masker;
  }

  /** The attempt's own log is closed, so this is another one of the same name. */
  #addLate(attempt: AttemptName, text: string): void {
    if (this.#isClosed) return;
    const log = this.logs.open(attempt);
    log.wrote("stderr", Buffer.from(text));
    log.close();
  }

  openLog({ execution, step, attempt }: StepAttempt): AttemptLog {
    return this.logs.open({ execution: executionId(execution), step, attempt });
  }

  /** What a function logs goes where the engine's own lines go, and is kept with what the step wrote. */
  loggerFor(
    { execution, workflow, step, attempt }: StepAttempt,
    correlationId: string | undefined,
    log: () => AttemptLog,
  ): StepLogger {
    const logger = this.#options.logger.child({ executionId: execution, workflow, correlationId, step, attempt });
    return stepLogger(logger, (text) => log().line(this.#masker.text(text)));
  }

  /** The outcome as it may be written down (W1). */
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

/** Those that it names, and those that its call holds. */
function askedSecrets(
  state: State,
  step: StepIndex,
  placed: readonly { readonly secret: string }[],
): readonly string[] {
  const { secrets = [] } = compiledStep(state, step).definition;
  return [...new Set([...secrets, ...placed.map(({ secret }) => secret)])];
}

function isLogging(store: Partial<StepLogs>): store is StepLogs {
  return store.appendLogs !== undefined;
}

function isProcessTable(store: Partial<ProcessTable>): store is ProcessTable {
  return store.noteProcess !== undefined;
}
