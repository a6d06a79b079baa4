// The secrets of attempts.
//
// A workflow names secrets, and each step requests some of them.
//
//   W2. Before any step of an execution runs, all secrets that its workflows name are resolved, even those that only
//       other steps request. A step may print a secret that an earlier step wrote to a file, and the masker can mask
//       only values that it knows. After a restart it knows none.
//   W3. If no workflow names a secret, all this costs nothing.

import { compiledStep, type Failure, type Program, type State, type StepIndex } from "@segno/kernel";
import type { CallbackLimit } from "../checks/callback-limit.ts";
import type { Environment } from "../clock/environment.ts";
import type { Registry } from "../registry/registry.ts";
import type { Masker } from "../secrets/masker.ts";
import { ReachableSecrets } from "../secrets/reachable-secrets.ts";
import { Secrets, type Resolved, type SecretValues } from "../secrets/secrets.ts";
import type { SecretSource } from "../secrets/source.ts";
import { NO_SECRETS, type StepAttempt } from "./step-attempt.ts";

export interface AttemptSecretsPorts {
  readonly clock: Pick<Environment, "monotonic">;
  readonly registry: Pick<Registry, "workflow">;
  readonly source: SecretSource;
  readonly masker: Masker;
  /** The time limit of the source. */
  readonly callbacks: CallbackLimit;
}

const NOTHING_REQUESTED: Resolved = Object.freeze({ kind: "values", values: NO_SECRETS });

export class AttemptSecrets {
  readonly #masker: Masker;
  readonly #secrets: Secrets;
  readonly #reachable: ReachableSecrets;
  /** The last value of each secret that was resolved; undefined for a secret without a usable value. */
  readonly #values = new Map<string, string | undefined>();

  constructor({ clock, registry, source, masker, callbacks }: AttemptSecretsPorts) {
    const monotonicClock = {
      now: () => clock.monotonic(),
      after: (ms: number, callback: () => void) => callbacks.after(ms, callback),
    };
    this.#masker = masker;
    this.#secrets = new Secrets({ source, masker, timeoutMs: callbacks.ms, clock: monotonicClock });
    this.#reachable = new ReachableSecrets((name) => registry.workflow(name)?.program);
  }

  /** The secrets that a step requested; `undefined` if no enclosing workflow names any (W3). */
  resolve({ liveExecution, stepIndex, effect }: StepAttempt): Promise<Resolved> | undefined {
    const named = this.#reachable.around(liveExecution.state);
    if (named.length === 0) return undefined;
    return this.#resolve(named, requestedSecrets(liveExecution.state, stepIndex, effect.secrets));
  }

  /** Keeps everything masked that the attempt may read, until the returned function is called (W2). */
  hold({ liveExecution }: StepAttempt, requested: SecretValues): () => void {
    const named = this.#reachable.around(liveExecution.state).map((name) => this.#values.get(name));
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

  async #resolve(named: readonly string[], requested: readonly string[]): Promise<Resolved> {
    const unknown = named.filter((name) => !this.#values.has(name));
    const failed = unknown.length === 0 ? undefined : await this.#preloadAll(unknown);
    if (failed !== undefined) return failed;
    if (requested.length === 0) return NOTHING_REQUESTED;
    const resolved = await this.#secrets.resolve(requested);
    if (resolved.kind === "values") for (const name of requested) this.#values.set(name, resolved.values[name]);
    return resolved;
  }

  async #preloadAll(names: readonly string[]): Promise<Resolved | undefined> {
    const results = await Promise.all(names.map((name) => this.#preload(name)));
    return results.find((result) => result !== undefined);
  }

  /**
   * If the source says that a secret does not exist, only the steps that request it fail. If the source does not answer,
   * no step runs, because the value could not be masked (W2).
   */
  async #preload(name: string): Promise<Resolved | undefined> {
    const resolved = await this.#secrets.resolve([name]);
    if (resolved.kind === "failure" && resolved.failure.class !== "permanent") return resolved;
    this.#values.set(name, resolved.kind === "values" ? resolved.values[name] : undefined);
    return undefined;
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
