// The options of an engine for attempts.

import type { FailureOptions } from "../runners/failure-callbacks.ts";
import type { HttpOptions } from "../runners/http/http-runner.ts";
import { environmentSecrets, providedSecrets, type SecretProvider, type SecretSource } from "../secrets/source.ts";

/** Options of an engine that apply to the attempts of its steps. */
export interface AttemptOptions {
  /** The folder in which commands run and module paths are resolved; by default the process's working directory. */
  readonly cwd?: string;
  /** Environment variables that commands inherit in addition to the defaults; a trailing `*` matches any suffix. */
  readonly inheritEnv?: readonly string[];
  /** The source of secrets; by default the environment variables. */
  readonly secrets?: SecretSource | SecretProvider;
  /** Callbacks that classify and resolve failures (FAIL-7). */
  readonly failures?: FailureOptions;
  /** Private addresses that HTTP steps may reach (by default none), and limits of requests. */
  readonly http?: Partial<Pick<HttpOptions, "allowPrivate" | "limits">>;
  /**
   * The destination of `console`, stdout and stderr of main-thread agents. Their output always goes to the log
   * of their step, masked. `terminal` (the default) also shows it on the terminal, masked; `log` does not, for programs
   * that control the terminal themselves.
   */
  readonly functionOutput?: "terminal" | "log";
}

/** The source of secrets; by default the environment variables. */
export function secretSource(secrets: AttemptOptions["secrets"]): SecretSource {
  if (secrets === undefined) return environmentSecrets(process.env);
  return typeof secrets === "function" ? providedSecrets(secrets) : secrets;
}

/** Whether requests may reach any private address at all. */
export function mayReachPrivate({ allowPrivate = false }: NonNullable<AttemptOptions["http"]>): boolean {
  return typeof allowPrivate === "boolean" ? allowPrivate : allowPrivate.length > 0;
}
