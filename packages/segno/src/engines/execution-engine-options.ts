// Options of a task engine, and the underlying engine.

import {
  checkOptions,
  Engine,
  invalidOption,
  OBJECT,
  TEXT,
  withMethods,
  type EngineOptions,
  type SystemPorts,
  type LogFields,
  type Logger,
  type OptionRule,
} from "@segno/engine";
import { SegnoError } from "@segno/kernel";
import { isRetries, isSeconds, RETRIES_MAX } from "./task-definition.ts";

/** Options of every engine for tasks. */
export interface ExecutionEngineOptions extends Pick<EngineOptions, "store" | "file"> {
  /** Retries of tasks that set none. The default is 0. */
  readonly maxRetries?: number;
  /** How long a task that is told to stop may clean up, in seconds. The default is 5. */
  readonly grace?: number;
  /** An open engine to use. It stays open when this one is closed. */
  readonly engine?: Engine;
  /** The logger of events and failures. Without it, failures go to stderr. */
  readonly logger?: Logger;
}

const STORE = withMethods("commit", "load", "close");

/** The options that all task engines have. */
export const ENGINE_RULES: Readonly<Record<keyof ExecutionEngineOptions, OptionRule>> = {
  store: { expected: '"none" or a store', fits: (value) => value === "none" || STORE.fits(value) },
  file: TEXT,
  maxRetries: { expected: `a whole number from 0 to ${RETRIES_MAX}`, fits: isRetries },
  grace: { expected: "a number of seconds", fits: (value) => value === 0 || isSeconds(value, 0) },
  engine: { expected: "an open engine", fits: (value) => value instanceof Engine },
  logger: withMethods("debug", "info", "warn", "error", "child"),
};

/** `what` begins the message: "a parallel engine". */
export function checkedOptions<Options extends ExecutionEngineOptions>(
  what: string,
  options: Options,
  rules: Readonly<Record<keyof Options & string, OptionRule>>,
): Options {
  if (!OBJECT.fits(options)) throw invalidOption("options", OBJECT.expected, options);
  checkOptions(what, options, rules);
  const { store, file, engine } = options;
  const places = [store, file, engine].filter((each) => each !== undefined);
  if (places.length > 1) throw new SegnoError("OPTION_INVALID", "give only one of `store`, `file` and `engine`");
  return options;
}

/** Workers are counted per workflow, and a task may execute another workflow; so the underlying engine has no limit. */
const SLOTS = Number.MAX_SAFE_INTEGER;
/** Executions without a journal fill no disk. */
const EVENTS = Number.MAX_SAFE_INTEGER;

/** The environment is used only by an engine in memory; others may have executions to continue. */
export async function openEngine(options: ExecutionEngineOptions, environment: SystemPorts): Promise<Engine> {
  const { engine, store, file, logger } = options;
  if (engine !== undefined) return engine;
  const shared = logger === undefined ? {} : { logger: eventLogger(logger) };
  if (file !== undefined) return Engine.open({ file, ...shared, limits: { slots: SLOTS } });
  if (store !== undefined && store !== "none") return Engine.open({ store, ...shared, limits: { slots: SLOTS } });
  return Engine.open({ store: "none", environment, ...shared, limits: { slots: SLOTS, journal: EVENTS } });
}

/**
 * Wraps the logger of the underlying engine. A failed task is logged as an error once, in the line that names the task.
 * The events of its step and of its execution, which have a `seq`, are logged at the level of other events.
 */
function eventLogger(logger: Logger): Logger {
  return {
    debug: logger.debug.bind(logger),
    info: logger.info.bind(logger),
    warn: logger.warn.bind(logger),
    error: (...line: readonly [string] | readonly [LogFields, string]) =>
      isEvent(line[0]) ? logger.info(...(line as [LogFields, string])) : logger.error(...(line as [LogFields, string])),
    child: (fields) => eventLogger(logger.child(fields)),
  };
}

function isEvent(fields: string | LogFields): boolean {
  return typeof fields === "object" && "seq" in fields;
}
