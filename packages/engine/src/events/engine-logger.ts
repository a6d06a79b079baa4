// Where the engine's own lines go: to the logger that was brought, or to stderr; never with a secret in them.

import type { ExecutionId } from "@segno/kernel";
import { hearRejection } from "../checks/thenable.ts";
import type { Environment } from "../clock/environment.ts";
import { outsideOfSteps } from "./step-output.ts";
import type { Bus } from "./bus.ts";
import { logEvent, logFault } from "./event-log.ts";
import { FaultReports, type TellFault } from "./fault-reports.ts";
import { createJsonLogger } from "./json-logger.ts";
import type { Logger } from "./logger.ts";
import { maskedError } from "./masked-error.ts";
import { maskedLogger, type TextMask } from "./masked-logger.ts";
import { safeLogger } from "./safe-logger.ts";

/** The engine options that say where its own lines and its faults go. */
export interface LoggingOptions {
  /**
   * Where one line an event goes, and whatever steps log (EVENT-5); a pino logger fits. Without it, what steps log and what
   * goes wrong in the engine is written to stderr, and events are not.
   */
  readonly logger?: Logger;
  /**
   * Told of faults and of executions that were quarantined, of each fault once a minute; `suppressed` says how often the same
   * one came since it was last told.
   */
  readonly onFault?: (error: unknown, executionId: string | undefined, suppressed: number) => void;
}

/** Tells people of executions that need them. */
export interface ExecutionWarnings {
  /** An execution waits for somebody from now on. */
  readonly onParked: (id: ExecutionId, reason: string) => void;
  /** An attempt was abandoned, still runs, and holds a resource. */
  readonly holdsOn: (id: ExecutionId, step: string, resource: string) => void;
}

/** Faults go to whoever asked for them, and to the log; to stderr only when nobody did. */
export function faultReports(
  { onFault, logger: given }: LoggingOptions,
  logger: Logger,
  environment: Environment,
  mask: TextMask,
): FaultReports {
  const tell: TellFault = (fault, execution, suppressed) => {
    const error = maskedError(fault, mask);
    callSafely(
      () => outsideOfSteps(() => onFault?.(error, execution, suppressed)),
      (second) => logFault(logger, second, execution),
    );
    if (given !== undefined || onFault === undefined) logFault(logger, error, execution, suppressed);
  };
  return new FaultReports(tell, () => environment.monotonic());
}

/** The logger that is used, made so that it never throws; whoever hears of faults hears of its own. */
export function engineLogger({ logger, onFault }: LoggingOptions, environment: Environment, mask: TextMask): Logger {
  const used = logger ?? createJsonLogger({ now: () => environment.now() });
  return safeLogger(maskedLogger(used, mask), (error) =>
    callSafely(
      () => outsideOfSteps(() => onFault?.(maskedError(error, mask), undefined, 0)),
      () => undefined,
    ),
  );
}

/** Whoever hears of faults may throw, at once or later, and is not waited for. */
function callSafely(tell: () => unknown, onError: (error: unknown) => void): void {
  try {
    hearRejection(tell(), onError);
  } catch (error) {
    onError(error);
  }
}

const REASONS_MAX = 100;

/**
 * A parked execution waits for somebody, and without a word nobody would know. Whoever has a logger or wants faults hears of it
 * there or asks for it; for the others it is written to stderr, each reason once: a thousand executions may wait for one agent.
 */
function parkedWarner(
  { logger: given, onFault }: LoggingOptions,
  logger: Logger,
): (execution: ExecutionId, reason: string) => void {
  if (given !== undefined || onFault !== undefined) return () => undefined;
  const told = new Set<string>();
  return (executionId, reason) => {
    if (told.has(reason) || told.size >= REASONS_MAX) return;
    told.add(reason);
    logger.warn({ executionId }, `the execution is parked: ${reason}`);
  };
}

/** What executions tell people who may not look. */
export function tellers(options: LoggingOptions, logger: Logger): ExecutionWarnings {
  return { onParked: parkedWarner(options, logger), holdsOn: abandonTeller(logger) };
}

/** The first time for each resource: from then on, `why` tells who holds it. */
function abandonTeller(logger: Logger): (execution: ExecutionId, step: string, resource: string) => void {
  const told = new Set<string>();
  return (executionId, step, resource) => {
    if (told.has(resource) || told.size >= REASONS_MAX) return;
    told.add(resource);
    logger.warn(
      { executionId, step, resource },
      `an attempt was abandoned and still runs: it holds the resource \`${resource}\` until it ends; ` +
        "`onAbandon: release` at the resource gives it back at once",
    );
  };
}

export function logEvents(bus: Bus, logger: Logger): void {
  bus.subscribe({}, ({ events }) => {
    for (const event of events) logEvent(logger, event);
  });
}
