// The secrets of attempts.
//
// A workflow names secrets, and each step requests some of them.
//
//   W2. Before any step of an execution runs in this process, all secrets that its workflows name are looked up, even
//       those that only other steps request. A step may print a secret that an earlier step wrote to a file, and the
//       masker can mask only values that it knows. After a restart it knows none. If the source does not answer, no
//       step of the execution runs.
//   W3. If no workflow names a secret, all this costs nothing.
//   W4. A secret may change, or be created, while an execution runs. Before a later step runs, the secrets that were
//       looked up more than five seconds ago are looked up again. If the source does not answer this time, the step
//       runs with the values that are known, and the source is left alone for a minute: a step that requests no secret
//       does not fail because of it.

import { compiledStep, type Failure, type Program, type State, type StepIndex } from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import type { Registry } from "../registry/registry.ts";
import type { Masker } from "../secrets/masker.ts";
import { ReachableSecrets } from "../secrets/reachable-secrets.ts";
import { SECRET_CHARACTERS_MAX } from "../secrets/secret-variants.ts";
import { Secrets, type Resolved, type SecretValues } from "../secrets/secrets.ts";
import type { SecretSource } from "../secrets/source.ts";
import { NO_SECRETS, type AttemptExecution, type StepAttempt } from "./step-attempt.ts";

export interface AttemptSecretsPorts {
  readonly clock: Pick<SystemPorts, "monotonic">;
  readonly registry: Pick<Registry, "workflow">;
  readonly source: SecretSource;
  readonly masker: Masker;
  /** The time limit of the source. */
  readonly callbacks: CallbackLimit;
}

const NOTHING_REQUESTED: Resolved = Object.freeze({ kind: "values", values: NO_SECRETS });
/** A secret that was looked up within this time is not looked up again for a step that does not request it (W4). */
const FRESH_MS = 5000;
/** How long the source is left alone after it did not answer. */
const UNANSWERED_MS = 60_000;

interface SourceAnswer {
  /** Undefined for a secret without a value. */
  readonly value: string | undefined;
  /** The number of executions that had begun when the source was asked. */
  readonly executions: number;
  /** The monotonic time until which the source is not asked again for the sake of the masker. */
  readonly freshUntil: number;
}

export class AttemptSecrets {
  readonly #masker: Masker;
  readonly #secrets: Secrets;
  readonly #reachable: ReachableSecrets;
  readonly #clock: Pick<SystemPorts, "monotonic">;
  /** The last answer of the source for each secret. */
  readonly #known = new Map<string, SourceAnswer>();
  /** The number of executions that have begun in this process, when each of them began. */
  readonly #begun = new WeakMap<AttemptExecution, number>();
  #executions = 0;

  constructor({ clock, registry, source, masker, callbacks }: AttemptSecretsPorts) {
    const monotonicClock = {
      now: () => clock.monotonic(),
      after: (ms: number, callback: () => void) => callbacks.after(ms, callback),
    };
    this.#clock = clock;
    this.#masker = masker;
    this.#secrets = new Secrets({ source, masker, timeoutMs: callbacks.ms, clock: monotonicClock });
    this.#reachable = new ReachableSecrets((name) => registry.workflow(name)?.program);
  }

  /** The secrets that a step requested; `undefined` if no enclosing workflow names any (W3). */
  resolve({ liveExecution, stepIndex, effect }: StepAttempt): Promise<Resolved> | undefined {
    const named = this.#reachable.around(liveExecution.state);
    if (named.length === 0) return undefined;
    const requested = requestedSecrets(liveExecution.state, stepIndex, effect.secrets);
    return this.#resolve(this.#beginning(liveExecution), named, requested);
  }

  /** Keeps everything masked that the attempt may read, until the returned function is called (W2). */
  hold({ liveExecution }: StepAttempt, requested: SecretValues): () => void {
    const named = this.#reachable.around(liveExecution.state).map((name) => this.#known.get(name)?.value);
    return this.#masker.hold([...named.filter((value) => value !== undefined), ...Object.values(requested)]);
  }

  /** The failure to resolve the secrets of a step that was about to run; `undefined` if this process can resolve them. */
  async findStepFailure(state: State, step: StepIndex): Promise<Failure | undefined> {
    const resolved = await this.#secrets.resolve(requestedSecrets(state, step, state.calls.get(step)?.secrets ?? []));
    return resolved.kind === "failure" ? resolved.failure : undefined;
  }

  /** The permanent failure to resolve the secrets that a workflow names; `undefined` if there is none. */
  async findFailure(program: Program): Promise<Failure | undefined> {
    const resolved = await this.#secrets.resolve(this.#reachable.of(program));
    return resolved.kind === "failure" && resolved.failure.class === "permanent" ? resolved.failure : undefined;
  }

  /** The place of an execution among all that began in this process. */
  #beginning(execution: AttemptExecution): number {
    const known = this.#begun.get(execution);
    if (known === undefined) this.#begun.set(execution, ++this.#executions);
    return known ?? this.#executions;
  }

  async #resolve(beginning: number, named: readonly string[], requested: readonly string[]): Promise<Resolved> {
    const others = named.filter((name) => !requested.includes(name) && !this.#isFresh(name, beginning));
    const executions = this.#executions;
    const [failed, resolved] = await Promise.all([
      others.length === 0 ? undefined : this.#refresh(others, beginning),
      requested.length === 0 ? NOTHING_REQUESTED : this.#secrets.resolve(requested),
    ]);
    if (failed !== undefined || resolved.kind === "failure") return failed ?? resolved;
    for (const name of requested) this.#remember(name, resolved.values[name], executions);
    return resolved;
  }

  #isFresh(name: string, beginning: number): boolean {
    const known = this.#known.get(name);
    return known !== undefined && known.executions >= beginning && known.freshUntil > this.#clock.monotonic();
  }

  /**
   * If the source says that a secret does not exist, only the steps that request it fail. If the source does not answer,
   * it depends on whether it has answered since the execution began (W2, W4).
   */
  async #refresh(names: readonly string[], beginning: number): Promise<Resolved | undefined> {
    const executions = this.#executions;
    const found = await this.#secrets.lookUp(names);
    if (found.kind === "found") {
      for (const name of names) this.#remember(name, found.values.get(name), executions);
      return undefined;
    }
    const freshUntil = this.#clock.monotonic() + UNANSWERED_MS;
    for (const name of names) {
      const known = this.#known.get(name);
      if (known === undefined || known.executions < beginning) return found;
      this.#known.set(name, { ...known, freshUntil });
    }
    return undefined;
  }

  #remember(name: string, given: string | undefined, executions: number): void {
    // A longer value is not a secret: no step gets it, and the masker does not know it.
    const value = given !== undefined && given.length > SECRET_CHARACTERS_MAX ? undefined : given;
    this.#known.set(name, { value, executions, freshUntil: this.#clock.monotonic() + FRESH_MS });
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
