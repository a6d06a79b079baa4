// The effect of one key of the configuration: two values, and what each of them leads to.

import { loadExecutorConfig, type ExecutorConfig } from "../../../src/config/executor-config.ts";

type Options = Readonly<Record<string, unknown>>;

export interface KeyEffect {
  /** The path below `executor`, such as `retry.base_delay`; `[]` stands for the items of a list. */
  readonly key: string;
  readonly values: readonly [unknown, unknown];
  /** The results that `observe` gives back with the two values. */
  readonly results: readonly [unknown, unknown];
  /** Other options that the key needs. */
  readonly beside?: Options;
  readonly observe: (config: ExecutorConfig) => Promise<unknown>;
}

/** The configuration in which the key has this value. JSON is YAML. */
export function configWith({ key, beside = {} }: Pick<KeyEffect, "key" | "beside">, value: unknown): ExecutorConfig {
  return loadExecutorConfig(JSON.stringify({ executor: withValue(beside, key.split("."), value) }));
}

function withValue(options: Options, [name = "", ...rest]: readonly string[], value: unknown): Options {
  if (rest.length === 0) return { ...options, [name]: value };
  if (!name.endsWith("[]")) return { ...options, [name]: withValue((options[name] ?? {}) as Options, rest, value) };
  const list = name.slice(0, -"[]".length);
  const [first = {}, ...others] = (options[list] ?? []) as readonly Options[];
  return { ...options, [list]: [withValue(first, rest, value), ...others] };
}
