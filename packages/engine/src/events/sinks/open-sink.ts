// Opens a sink for lines of JSON: stdout, a file or an HTTP server, each with a level and a filter (EVENT-3).

import { setTimeout as sleep } from "node:timers/promises";
import { invalidOption } from "../../checks/option-error.ts";
import {
  checkOptions,
  FUNCTION,
  isObject,
  OBJECT,
  oneOf,
  SOME_MILLISECONDS,
  TEXT,
  wholeNumber,
  type OptionRules,
  type Rule,
} from "../../checks/option-rules.ts";
import { logFault } from "../event-log.ts";
import { createJsonLogger } from "../json-logger.ts";
import { LOG_LEVELS, type LogLevel } from "../logger.ts";
import { FileSinkOutput } from "./file-sink-output.ts";
import { HttpSinkOutput } from "./http-sink-output.ts";
import { LineSink, type LineSinkPorts, type Sink } from "./line-sink.ts";
import type { SinkOutput, SinkWait } from "./sink-output.ts";
import type { SinkRecord } from "./sink-record.ts";
import { StdoutSinkOutput } from "./stdout-sink-output.ts";

/** The options of every sink. */
export interface CommonSinkOptions {
  /** The minimum level. The default is `info`. */
  readonly level?: LogLevel;
  /** Only records for which it returns true are written. */
  readonly filter?: (record: SinkRecord) => boolean;
  /** The number of lines that may wait. The default is 10,000; if there are more, the oldest are dropped and counted. */
  readonly queueMax?: number;
  /** The time that `close` waits for the rest. The default is 5 s. */
  readonly closeMs?: number;
}

/** A sink that writes lines to stdout. */
export interface StdoutSinkOptions extends CommonSinkOptions {
  /** Selects this kind of sink. */
  readonly type: "stdout";
}

/** A sink that appends lines to a file. */
export interface FileSinkOptions extends CommonSinkOptions {
  /** Selects this kind of sink. */
  readonly type: "file";
  /** The default is `.segno/logs/execution.log`. Its folder is created. */
  readonly path?: string;
}

/** A sink that posts batches of lines to an HTTP server. */
export interface HttpSinkOptions extends CommonSinkOptions {
  /** Selects this kind of sink. */
  readonly type: "http";
  /** Chosen by the operator: private addresses are allowed. */
  readonly url: string;
  /** Headers of every request, for example for authorization. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time for one request. The default is 10 s. */
  readonly timeoutMs?: number;
  /** All attempts to deliver a batch, the first included. The default is 5. */
  readonly attempts?: number;
}

/** The kind of a sink and its options. */
export type SinkOptions = StdoutSinkOptions | FileSinkOptions | HttpSinkOptions;

/** The surroundings of a sink; each has a default. */
export interface SinkPorts {
  /** Masks secrets: `(text) => engine.mask(text)` (DATA-9). */
  readonly mask?: (text: string) => string;
  /** Called if lines are lost, at most once a minute for one cause. The default writes a line to stderr. */
  readonly onError?: (error: unknown, suppressed: number) => void;
  readonly now?: () => number;
  readonly wait?: SinkWait;
  /** Writes the lines of a sink of type `stdout`. The default is stdout of this process. */
  readonly writeStdout?: (text: string) => void;
}

const LOG_FILE = ".segno/logs/execution.log";

const COMMON: OptionRules = {
  type: TEXT,
  level: oneOf(...LOG_LEVELS),
  filter: FUNCTION,
  queueMax: wholeNumber(1),
  closeMs: SOME_MILLISECONDS,
};

const URL_TEXT: Rule = {
  expected: "the URL of an HTTP server",
  fits: (value) => typeof value === "string" && /^https?:/u.test(value) && URL.canParse(value),
};

const RULES: Readonly<Record<SinkOptions["type"], OptionRules>> = {
  stdout: COMMON,
  file: { ...COMMON, path: TEXT },
  http: { ...COMMON, url: URL_TEXT, headers: OBJECT, timeoutMs: SOME_MILLISECONDS, attempts: wholeNumber(1) },
};

/** Opens a destination for lines of events and logs: stdout, a file or an HTTP server. */
export function openSink(options: SinkOptions, ports: SinkPorts = {}): Sink {
  checkSink(options);
  const { level = "info", filter = () => true, queueMax = 10_000, closeMs = 5000 } = options;
  const full: LineSinkPorts = {
    mask: ports.mask ?? ((text) => text),
    onError: safely(
      ports.onError ?? ((error, suppressed) => logFault(createJsonLogger(), error, undefined, suppressed)),
    ),
    now: ports.now ?? Date.now,
    wait: ports.wait ?? ((ms, signal) => sleep(ms, undefined, { signal })),
  };
  return new LineSink(openOutput(options, full.wait, ports.writeStdout), { level, filter, queueMax, closeMs }, full);
}

function openOutput(options: SinkOptions, wait: SinkWait, writeStdout: SinkPorts["writeStdout"]): SinkOutput {
  switch (options.type) {
    case "stdout":
      return new StdoutSinkOutput(writeStdout);
    case "file":
      return new FileSinkOutput(options.path ?? LOG_FILE);
    case "http": {
      const { url, headers = {}, timeoutMs = 10_000, attempts = 5 } = options;
      return new HttpSinkOutput({ url, headers, timeoutMs, attempts }, wait);
    }
  }
}

function checkSink(options: SinkOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  if (!Object.hasOwn(RULES, options.type))
    throw invalidOption("type", oneOf(...Object.keys(RULES)).expected, options.type);
  checkOptions("a sink", options, RULES[options.type]);
  if (options.type === "http" && options.url === undefined) throw invalidOption("url", URL_TEXT.expected, undefined);
}

/** A handler of errors that throws must not end the delivery. */
function safely(onError: LineSinkPorts["onError"]): LineSinkPorts["onError"] {
  return (error, suppressed) => {
    try {
      onError(error, suppressed);
    } catch {
      // There is no other place to report it.
    }
  };
}
