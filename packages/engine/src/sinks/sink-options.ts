// The options of sinks, and their check.

import { SegnoError } from "@segno/kernel";
import { invalidOption } from "../checks/option-error.ts";
import {
  ANYTHING,
  checkOptions,
  FUNCTION,
  isObject,
  oneOf,
  SOME_MILLISECONDS,
  TEXT,
  wholeNumber,
  type OptionRules,
  type Rule,
} from "../checks/option-rules.ts";
import { LOG_LEVELS, type LogLevel } from "../events/logger.ts";
import { REFUSED_HEADERS } from "../runners/http/http-request.ts";
import { PrivateNetworkPolicy, type AllowPrivate } from "../runners/http/private-network-policy.ts";
import type { SinkRecord } from "./sink-record.ts";

/** The options of every sink. */
export interface CommonSinkOptions {
  /** Names the sink in messages and in its metrics. The default is its path or its URL, without the query. */
  readonly name?: string;
  /** The minimum level. The default is `info`. */
  readonly level?: LogLevel;
  /** Only records for which it returns true are written. */
  readonly filter?: (record: SinkRecord) => boolean;
  /**
   * The number of lines that may wait. The default is 10,000. If there are more, the oldest of the lowest level are dropped
   * and counted.
   */
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
  /**
   * The size in bytes that the file may reach; then it becomes `<path>.1`. From 1,024 on; the default is 64 MiB. With
   * `Infinity` the file is not rotated.
   */
  readonly maxBytes?: number;
  /** The number of rotated files that are kept, from 1 to 1,000. The default is 5. */
  readonly maxFiles?: number;
}

/** A sink that posts batches of lines to an HTTP server. */
export interface HttpSinkOptions extends CommonSinkOptions {
  /** Selects this kind of sink. */
  readonly type: "http";
  /** Chosen by the operator: an address in it, or `localhost`, may be private. */
  readonly url: string;
  /** Headers of every request, for example for authorization. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the secret that signs requests, as in Standard Webhooks. Without it they are not signed. */
  readonly secret?: string;
  /** Hosts, addresses and ranges that the host name of the URL may resolve to although they are private. */
  readonly allowPrivate?: AllowPrivate;
  /** The time for one request, from 1 ms to an hour. The default is 10 s. */
  readonly timeoutMs?: number;
  /**
   * All attempts to deliver a batch, the first included. The default is 5. With `Infinity` only lines that the server
   * refuses are lost. A sink of an engine has no such limit: it tries again until the server accepts the batch.
   */
  readonly attempts?: number;
  /** The maximum number of lines in a request, from 1 to 10,000. The default is 1,000. */
  readonly batchLines?: number;
  /** The maximum size of a request in bytes, from 1,024 to 16 MiB. The default is 1 MiB. A longer line is sent alone. */
  readonly batchBytes?: number;
  /** How long a line waits for others, from 0 to 60,000 ms. The default is 200 ms. */
  readonly batchMs?: number;
}

/** The kind of a sink and its options. */
export type SinkOptions = StdoutSinkOptions | FileSinkOptions | HttpSinkOptions;

const KIBIBYTE = 1024;
const MEBIBYTE = 1_048_576;

/** The options that have a default value. */
type DefaultedOptions = Required<
  Pick<CommonSinkOptions, "queueMax" | "closeMs"> &
    Pick<FileSinkOptions, "path" | "maxBytes" | "maxFiles"> &
    Pick<HttpSinkOptions, "timeoutMs" | "attempts" | "batchLines" | "batchBytes" | "batchMs">
>;

export const SINK_DEFAULTS: DefaultedOptions = Object.freeze({
  path: ".segno/logs/execution.log",
  queueMax: 10_000,
  closeMs: 5000,
  maxBytes: 64 * MEBIBYTE,
  maxFiles: 5,
  timeoutMs: 10_000,
  attempts: 5,
  batchLines: 1000,
  batchBytes: MEBIBYTE,
  batchMs: 200,
});

function range(least: number, most: number): Rule {
  return {
    expected: `a whole number from ${least} to ${most}`,
    fits: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  };
}

const COMMON: OptionRules = {
  type: TEXT,
  name: {
    expected: "a name of 1 to 64 letters, digits, hyphens and underscores",
    fits: (value) => typeof value === "string" && /^[\w-]{1,64}$/u.test(value),
  },
  level: oneOf(...LOG_LEVELS),
  filter: FUNCTION,
  queueMax: wholeNumber(1),
  closeMs: SOME_MILLISECONDS,
};

const URL_TEXT: Rule = {
  expected: "the URL of an HTTP server",
  fits: (value) => typeof value === "string" && /^https?:/u.test(value) && URL.canParse(value),
};

const HEADERS: Rule = {
  expected: "an object of headers by name, without those that the connection or the signature sets",
  fits: (value) => isObject(value) && areHeaders(value as Record<string, string>),
};

const RULES: Readonly<Record<SinkOptions["type"], OptionRules>> = {
  stdout: COMMON,
  file: { ...COMMON, path: TEXT, maxBytes: wholeNumber(KIBIBYTE), maxFiles: range(1, 1000) },
  http: {
    ...COMMON,
    url: URL_TEXT,
    headers: HEADERS,
    secret: TEXT,
    allowPrivate: ANYTHING,
    timeoutMs: range(1, 3_600_000),
    attempts: wholeNumber(1),
    batchLines: range(1, 10_000),
    batchBytes: range(KIBIBYTE, 16 * MEBIBYTE),
    batchMs: range(0, 60_000),
  },
};

/** Messages do not show values of headers and of the URL, which may be secrets (DATA-9). */
export function checkSink(options: SinkOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  if (!Object.hasOwn(RULES, options.type))
    throw invalidOption("type", oneOf(...Object.keys(RULES)).expected, options.type);
  const { headers, ...shown } = { headers: undefined, ...options };
  checkOptions("a sink", options.type === "http" ? shown : options, RULES[options.type]);
  if (options.type !== "http") return;
  if (options.url === undefined) throw invalidOption("url", URL_TEXT.expected, undefined);
  if (headers !== undefined && !HEADERS.fits(headers))
    throw new SegnoError("OPTION_INVALID", `\`headers\` is ${HEADERS.expected}`);
  // Throws if an entry of the list is invalid.
  void new PrivateNetworkPolicy(options.allowPrivate ?? false);
}

/** Checks the sinks of an engine. */
export function checkSinks(sinks: readonly SinkOptions[]): void {
  const names = new Set<string>();
  for (const sink of sinks) {
    checkSink(sink);
    if (sink.type === "http" && sink.attempts !== undefined)
      throw new SegnoError(
        "OPTION_INVALID",
        "`attempts` has no effect: a sink of an engine tries again until it delivers",
      );
    const name = sinkName(sink);
    if (names.has(name)) throw new SegnoError("OPTION_INVALID", `two sinks have the name ${name}; give one a \`name\``);
    names.add(name);
  }
}

/** The name of a sink in messages, without passwords and without the query, which may hold a token. */
export function sinkName(options: SinkOptions): string {
  if (options.name !== undefined) return options.name;
  if (options.type === "stdout") return "stdout";
  if (options.type === "file") return options.path ?? SINK_DEFAULTS.path;
  const { origin, pathname } = new URL(options.url);
  return `${origin}${pathname}`;
}

function areHeaders(headers: Record<string, string>): boolean {
  try {
    const names = [...new Headers(headers).keys()];
    return names.every((name) => !REFUSED_HEADERS.has(name) && !name.startsWith("webhook-"));
  } catch {
    return false;
  }
}
