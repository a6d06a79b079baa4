// Logging: one line per event, with the ids that it belongs to (EVENT-5).
//
// The interface is the commonly used part of pino's, so a pino logger fits as it is.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;

export interface LogMethod {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

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
