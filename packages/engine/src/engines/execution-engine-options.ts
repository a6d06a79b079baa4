// What an engine of tasks is made with, and the engine underneath.

import { SegnoError } from "@segno/kernel";
import type { Environment } from "../clock/environment.ts";
import { Engine } from "../engine.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { Logger } from "../events/logger.ts";
import { invalidOption } from "../options/option-error.ts";
import { isRetries, isSeconds, RETRIES_MAX } from "./task-definition.ts";

export interface ExecutionEngineOptions extends Pick<EngineOptions, "store" | "file"> {
  /** Retries of tasks that set none; 0 when it is absent. */
  readonly maxRetries?: number;
  /** How long a task that is told to stop may clean up, in seconds; 5 when it is absent. */
  readonly grace?: number;
  /** An engine that is open already, and stays so when this one is closed. */
  readonly engine?: Engine;
  /** Where events and failures go; failures go to stderr when it is absent. */
  readonly logger?: Logger;
}

export function checkedOptions(options: ExecutionEngineOptions): ExecutionEngineOptions {
  const { maxRetries = 0, grace = 0, store, file, engine } = options;
  if (!isRetries(maxRetries)) throw invalidOption("maxRetries", `a whole number from 0 to ${RETRIES_MAX}`, maxRetries);
  if (grace !== 0 && !isSeconds(grace, 0)) throw invalidOption("grace", "a number of seconds", grace);
  const places = [store, file, engine].filter((each) => each !== undefined);
  if (places.length > 1) throw new SegnoError("OPTION_INVALID", "of `store`, `file` and `engine` one is enough");
  return options;
}

/** Workers are counted by workflow, and the tasks of one may execute another; so the engine underneath sets no bound. */
const SLOTS = Number.MAX_SAFE_INTEGER;
/** What has no journal fills no disk. */
const EVENTS = Number.MAX_SAFE_INTEGER;

/** The environment is for an engine that keeps nothing; others may have something to go on with. */
export async function openEngine(options: ExecutionEngineOptions, environment: Environment): Promise<Engine> {
  const { engine, store, file, logger } = options;
  if (engine !== undefined) return engine;
  const shared = logger === undefined ? {} : { logger };
  if (file !== undefined) return Engine.open({ file, ...shared, limits: { slots: SLOTS } });
  if (store !== undefined && store !== "none") return Engine.open({ store, ...shared, limits: { slots: SLOTS } });
  return Engine.open({ store: "none", environment, ...shared, limits: { slots: SLOTS, journal: EVENTS } });
}
