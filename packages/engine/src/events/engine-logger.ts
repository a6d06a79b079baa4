// The engine's own log lines: masked, and written to the user's logger or to stderr.

import { failedStep, stepName, type ExecutionId, type State } from "@segno/kernel";
import { onRejected } from "../checks/thenable.ts";
import type { SystemPorts } from "../clock/system-ports.ts";
import { runOutsideSteps } from "./console-capture.ts";
import type { Bus } from "./bus.ts";
import { logEvent, logFault } from "./event-log.ts";
import { FaultReports, type ReportFault } from "./fault-reports.ts";
import { createJsonLogger } from "./json-logger.ts";
import type { Logger } from "./logger.ts";
import { maskedError } from "./masked-error.ts";
import { maskedLogger, type TextMask } from "./masked-logger.ts";
import { safeLogger } from "./safe-logger.ts";

/** The engine options that say where its own lines and its faults go. */
export interface LoggingOptions {
  /**
   * Receives one line per event, and all lines that steps log (EVENT-5). A pino logger fits. Without a logger, the
   * engine writes step logs and engine faults to stderr, and does not log events.
   */
  readonly logger?: Logger;
  /**
   * Whether the engine logs a warning when an execution fails and nothing in this process waits for its result. The
   * default is `warn`; a test engine without a `logger` ignores such failures.
   */
  readonly unwatchedFailures?: "warn" | "ignore";
  /**
   * Called for faults of the engine and for quarantined executions. The same fault is reported at most once a minute;
   * `suppressed` counts the reports that were left out since the last one.
   */
  readonly onFault?: (error: unknown, executionId: string | undefined, suppressed: number) => void;
}

/** Notifies people of executions that need them. */
export interface ExecutionWarnings {
  /** Called when an execution is parked and waits for a person. */
  readonly onParked: (id: ExecutionId, reason: string) => void;
  /** Called when an attempt that was stopped by force still runs and holds a resource. */
  readonly onHeldByLingering: (id: ExecutionId, step: string, resource: string) => void;
  /** Called when an execution has failed and nobody in this process waits for its end. */
  readonly onUnwatchedFailure: (id: ExecutionId, state: State) => void;
}

/** Faults go to `onFault` and to the logger; they go to stderr only if there is neither. */
export function faultReports(
  { onFault, logger: given }: LoggingOptions,
  logger: Logger,
  environment: SystemPorts,
  mask: TextMask,
): FaultReports {
  const report: ReportFault = (fault, execution, suppressed) => {
    const error = maskedError(fault, mask);
    callSafely(
      () => runOutsideSteps(() => onFault?.(error, execution, suppressed)),
      (second) => logFault(logger, second, execution),
    );
    if (given !== undefined || onFault === undefined) logFault(logger, error, execution, suppressed);
  };
  return new FaultReports(report, () => environment.monotonic());
}

/** The logger in use, wrapped so that it never throws. Its own errors go to `onFault`. */
export function engineLogger({ logger, onFault }: LoggingOptions, environment: SystemPorts, mask: TextMask): Logger {
  const used = logger ?? createJsonLogger({ now: () => environment.now() });
  return safeLogger(maskedLogger(used, mask), (error) =>
    callSafely(
      () => runOutsideSteps(() => onFault?.(maskedError(error, mask), undefined, 0)),
      () => undefined,
    ),
  );
}

/** A callback may throw synchronously or reject later, and is not awaited. */
function callSafely(callback: () => unknown, onError: (error: unknown) => void): void {
  try {
    onRejected(callback(), onError);
  } catch (error) {
    onError(error);
  }
}

const REASONS_MAX = 100;

/**
 * A parked execution waits for a person, who must be notified. With a logger or `onFault` the notice goes there.
 * Otherwise it goes to stderr, once per reason, because a thousand executions may wait for one agent.
 */
function parkedWarner(
  { logger: given, onFault }: LoggingOptions,
  logger: Logger,
): (execution: ExecutionId, reason: string) => void {
  if (given !== undefined || onFault !== undefined) return () => undefined;
  const reported = new Set<string>();
  return (executionId, reason) => {
    if (reported.has(reason) || reported.size >= REASONS_MAX) return;
    reported.add(reason);
    logger.warn({ executionId }, `the execution is parked: ${reason}`);
  };
}

/** The notices of executions for people. */
export function executionWarnings(options: LoggingOptions, logger: Logger): ExecutionWarnings {
  return {
    onParked: parkedWarner(options, logger),
    onHeldByLingering: lingeringWarner(logger),
    onUnwatchedFailure: options.unwatchedFailures === "ignore" ? () => undefined : failureWarner(logger),
  };
}

/** Otherwise a failure that no program asks about would be in the journal only. */
function failureWarner(logger: Logger): (execution: ExecutionId, state: State) => void {
  return (executionId, state) => {
    const failed = failedStep(state);
    const step = failed === undefined ? undefined : stepName(state, failed);
    const { code = "", message = "" } = state.failure?.failure ?? {};
    logger.warn(
      { executionId, workflow: state.program.definition.name, ...(step === undefined ? {} : { step }), code },
      `the execution failed, and nothing in this process waits for its result: ${message}`,
    );
  };
}

/** Reports each resource once; from then on `why` shows its holder. */
function lingeringWarner(logger: Logger): (execution: ExecutionId, step: string, resource: string) => void {
  const reported = new Set<string>();
  return (executionId, step, resource) => {
    if (reported.has(resource) || reported.size >= REASONS_MAX) return;
    reported.add(resource);
    logger.warn(
      { executionId, step, resource },
      `an abandoned attempt still runs: it keeps the resource \`${resource}\` in use until it ends; ` +
        "`onAbandon: release` at the resource frees it at once",
    );
  };
}

export function logEvents(bus: Bus, logger: Logger): void {
  bus.subscribe({}, ({ events }) => {
    for (const event of events) logEvent(logger, event);
  });
}
