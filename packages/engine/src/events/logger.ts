// Logging: one line per event, with the ids that it belongs to (EVENT-5).
//
// The interface is the commonly used part of pino's, so a pino logger fits as it is.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** The levels of log lines, from the most detailed to the most severe. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields of a log line, beside its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes a log line, with or without fields. */
export interface LogMethod {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

/** A logger with a method for each level. */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

/** A log method of a step. Some loggers take the message first and some the fields, so it accepts both orders. */
export interface StepLogLine extends LogMethod {
  (message: string, fields: LogFields): void;
}

/** The logger of a step. */
export interface StepLogger extends Readonly<Record<LogLevel, StepLogLine>> {
  child(fields: LogFields): StepLogger;
}
