// Opens a sink for lines of JSON: stdout, a file or an HTTP server, each with a level and a filter (EVENT-3).

import { setTimeout as sleep } from "node:timers/promises";
import { SegnoError } from "@segno/kernel";
import { givenOptions } from "../checks/option-rules.ts";
import { logFault } from "../events/event-log.ts";
import { createJsonLogger } from "../events/json-logger.ts";
import { FileSinkOutput } from "./file-sink-output.ts";
import { HttpSinkOutput } from "./http-sink-output.ts";
import { LineSink, type SinkBatchLimits, type LineSinkPorts, type Sink } from "./line-sink.ts";
import { checkSink, SINK_DEFAULTS, sinkName, type HttpSinkOptions, type SinkOptions } from "./sink-options.ts";
import type { SinkOutput, SinkWait } from "./sink-output.ts";
import { StdoutSinkOutput } from "./stdout-sink-output.ts";

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
  /** Returns a secret by its name. A sink with the option `secret` needs it. */
  readonly secret?: (name: string) => Promise<string>;
}

/** The surroundings of a sink, complete. */
export interface FullSinkPorts extends LineSinkPorts, Pick<SinkPorts, "writeStdout" | "secret"> {}

/** Lines of one turn of the event loop are one batch. */
const LOCAL_BATCH: SinkBatchLimits = { lines: 1000, bytes: SINK_DEFAULTS.batchBytes, waitMs: 0 };

/** Opens a destination for lines of events and logs: stdout, a file or an HTTP server. */
export function openSink(options: SinkOptions, ports: SinkPorts = {}): Sink {
  checkSink(options);
  if (options.type === "http" && options.secret !== undefined && ports.secret === undefined)
    throw new SegnoError("OPTION_INVALID", "a sink with `secret` needs the port `secret`, which returns it");
  return openLineSink(options, fullPorts(ports));
}

export function fullPorts({ mask, onError, now, wait, ...rest }: SinkPorts): FullSinkPorts {
  return {
    ...rest,
    mask: mask ?? ((text) => text),
    onError: safely(onError ?? ((error, suppressed) => logFault(createJsonLogger(), error, undefined, suppressed))),
    now: now ?? Date.now,
    wait: wait ?? ((ms, signal) => sleep(ms, undefined, { signal })),
  };
}

export function openLineSink(options: SinkOptions, ports: FullSinkPorts): Sink {
  const { level = "info", filter = () => true } = options;
  const { queueMax = SINK_DEFAULTS.queueMax, closeMs = SINK_DEFAULTS.closeMs } = options;
  const batch = options.type === "http" ? httpBatch(options) : LOCAL_BATCH;
  const name = sinkName(options);
  return new LineSink(openOutput(options, ports), { name, level, filter, queueMax, batch, closeMs }, ports);
}

/** The limits of a request. */
export function httpBatch(options: HttpSinkOptions): SinkBatchLimits {
  const { batchLines, batchBytes, batchMs } = { ...SINK_DEFAULTS, ...givenOptions(options) };
  return { lines: batchLines, bytes: batchBytes, waitMs: batchMs };
}

function openOutput(options: SinkOptions, ports: FullSinkPorts): SinkOutput {
  switch (options.type) {
    case "stdout":
      return new StdoutSinkOutput(ports.writeStdout);
    case "file": {
      const { path, maxBytes, maxFiles } = { ...SINK_DEFAULTS, ...givenOptions(options) };
      return new FileSinkOutput(path, { maxBytes, maxFiles }, (error) => ports.onError(error, 0));
    }
    case "http":
      return openHttpOutput(options, ports);
  }
}

export function openHttpOutput(options: HttpSinkOptions, ports: FullSinkPorts): HttpSinkOutput {
  const { url, headers = {}, secret, allowPrivate = false } = options;
  const { timeoutMs, attempts } = { ...SINK_DEFAULTS, ...givenOptions(options) };
  const { now, wait, mask, secret: readSecret } = ports;
  // With a limit, the batch is reported when it is lost.
  const onRetry = (reason: string): void => {
    if (attempts !== Infinity) return;
    const message = `the sink ${sinkName(options)} cannot deliver and tries again: ${reason}`;
    ports.onError(new SegnoError("SINK_FAILED", mask(message)), 0);
  };
  const signing = secret === undefined || readSecret === undefined ? {} : { secret: () => readSecret(secret) };
  return new HttpSinkOutput({ url, headers, timeoutMs, attempts, allowPrivate }, { now, wait, onRetry, ...signing });
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
