// The configuration of an executor: the `executor:` document with its defaults (CODE-13).

import {
  boolean,
  list,
  loadDocument,
  number,
  oneOf,
  strictObject,
  string,
  wholeNumber,
} from "@segno/contract/document-models";
import { modulePath } from "@segno/engine/module-path";
import { deepFreeze } from "@segno/kernel/deep-freeze";
import type { Problem } from "@segno/kernel";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { ERROR_TYPES, ErrorType } from "../model/error-type.ts";
import { RETRY_POLICY, type TaskRetryPolicy } from "../model/retry-policy.ts";
import { policyNameSchema } from "../template/template-schema.ts";
import type { ForgeConfiguration } from "../model/forge-configuration.ts";
import { usesPullRequests, type MergePolicyName } from "../model/merge-policy-name.ts";
import { forgeOptionsSchema, toForge, type RawForge } from "./forge-options.ts";

/** The levels of events. */
export type EventLevel = "debug" | "info" | "warn" | "error";

/** A destination of events: stdout, a file or an HTTP server. */
export type EventStream =
  | { readonly type: "stdout"; readonly level: EventLevel }
  | {
      readonly type: "file";
      readonly path: string;
      readonly level: EventLevel;
      /** The size of the file before it is rotated. */
      readonly maxBytes?: number;
      /** The number of rotated files that are kept. */
      readonly maxFiles?: number;
    }
  | {
      readonly type: "http";
      readonly url: string;
      readonly level: EventLevel;
      /** The name of the secret that signs requests. */
      readonly secret?: string;
    };

/** The configuration of an executor, as `loadExecutorConfig` reads it. */
export interface ExecutorConfig {
  /** The order of tasks, and their limits. */
  readonly scheduling: {
    readonly strategy: "fifo" | "priority" | "parallel" | "custom";
    /** The module of a custom strategy: an absolute path. */
    readonly module?: string;
    readonly maxParallelTasks: number;
    readonly taskTimeoutMs: number;
  };
  /** When a failed task is tried again. */
  readonly retry: TaskRetryPolicy & { readonly retryableErrors: readonly ErrorType[] };
  /** Whether workspaces are kept after a session, and how many sessions may be at work. */
  readonly session: {
    readonly preserveOnFailure: boolean;
    readonly cleanupOnSuccess: boolean;
    readonly maxConcurrentSessions: number;
  };
  /** How work is merged, and how often a failed merge is fixed. */
  readonly integration: {
    readonly stepMergePolicy: MergePolicyName;
    readonly workflowMergePolicy: MergePolicyName;
    readonly autoCreateFixTasks: boolean;
    readonly maxFixAttempts: number;
    /** The forge of templates that name none themselves. */
    readonly forge?: ForgeConfiguration;
  };
  /** Whether events are published, and to which streams. */
  readonly events: { readonly enabled: boolean; readonly streams: readonly EventStream[] };
}

/** Stands for `logs/execution.log` in the folder of the journal. */
export const EVENT_FILE = ".segno/logs/execution.log";

interface RawStream {
  readonly type: EventStream["type"];
  readonly level?: EventLevel;
  readonly path?: string;
  readonly url?: string;
  readonly max_bytes?: number;
  readonly max_files?: number;
  readonly secret?: string;
}

interface RawConfig {
  readonly executor?: {
    readonly scheduling?: {
      readonly strategy?: ExecutorConfig["scheduling"]["strategy"];
      readonly module?: string;
      readonly max_parallel_tasks?: number;
      readonly task_timeout?: number;
    };
    readonly retry?: {
      readonly max_attempts?: number;
      readonly backoff_multiplier?: number;
      readonly base_delay?: number;
      readonly max_delay?: number;
      readonly retryable_errors?: readonly ErrorType[];
    };
    readonly session?: {
      readonly preserve_on_failure?: boolean;
      readonly cleanup_on_success?: boolean;
      readonly max_concurrent_sessions?: number;
    };
    readonly integration?: {
      readonly step_merge_policy?: MergePolicyName;
      readonly workflow_merge_policy?: MergePolicyName;
      readonly auto_create_fix_tasks?: boolean;
      readonly max_fix_attempts?: number;
      readonly forge?: RawForge;
    };
    readonly events?: { readonly enabled?: boolean; readonly streams?: readonly RawStream[] };
  };
}

const level = oneOf("debug", "info", "warn", "error");

const schedulingSchema = strictObject(
  {
    strategy: oneOf("fifo", "priority", "parallel", "custom").exactOptional(),
    module: string("the path of a module").exactOptional(),
    max_parallel_tasks: wholeNumber(1, 1000).exactOptional(),
    task_timeout: wholeNumber(1, 604_800).exactOptional(),
  },
  "a map of scheduling options",
);

const retrySchema = strictObject(
  {
    max_attempts: wholeNumber(1, 100).exactOptional(),
    backoff_multiplier: number(1, 100).exactOptional(),
    base_delay: wholeNumber(0, 86_400_000).exactOptional(),
    max_delay: wholeNumber(0, 86_400_000).exactOptional(),
    retryable_errors: list(oneOf(...ERROR_TYPES), "a list of error types").exactOptional(),
  },
  "a map of retry options",
);

const sessionSchema = strictObject(
  {
    preserve_on_failure: boolean().exactOptional(),
    cleanup_on_success: boolean().exactOptional(),
    max_concurrent_sessions: wholeNumber(1, 1000).exactOptional(),
  },
  "a map of session options",
);

const integrationSchema = strictObject(
  {
    step_merge_policy: policyNameSchema.exactOptional(),
    workflow_merge_policy: policyNameSchema.exactOptional(),
    auto_create_fix_tasks: boolean().exactOptional(),
    max_fix_attempts: wholeNumber(0, 100).exactOptional(),
    forge: forgeOptionsSchema.exactOptional(),
  },
  "a map of integration options",
);

const streamSchema = strictObject(
  {
    type: oneOf("stdout", "file", "http"),
    level: level.exactOptional(),
    path: string("a path").exactOptional(),
    url: string("a URL", { pattern: /^https?:\/\//u }).exactOptional(),
    max_bytes: wholeNumber(1024, Number.MAX_SAFE_INTEGER).exactOptional(),
    max_files: wholeNumber(1, 1000).exactOptional(),
    secret: string("the name of a secret", { pattern: /./u }).exactOptional(),
  },
  "a stream such as `{ type: stdout }`",
);

const eventsSchema = strictObject(
  { enabled: boolean().exactOptional(), streams: list(streamSchema, "a list of streams").exactOptional() },
  "a map of event options",
);

export const executorConfigSchema: z.ZodType<RawConfig> = strictObject(
  {
    executor: strictObject(
      {
        scheduling: schedulingSchema.exactOptional(),
        retry: retrySchema.exactOptional(),
        session: sessionSchema.exactOptional(),
        integration: integrationSchema.exactOptional(),
        events: eventsSchema.exactOptional(),
      },
      "a map of executor options",
    ).exactOptional(),
  },
  "a configuration",
);

/** The transient errors (CODE-8). */
const RETRYABLE: readonly ErrorType[] = [
  ErrorType.NetworkTimeout,
  ErrorType.AgentTimeout,
  ErrorType.ResourceUnavailable,
];

/** The configuration of an executor if a program gives none. */
export const EXECUTOR_DEFAULTS: ExecutorConfig = toConfig({});

/** The module of a strategy is found from the folder of the file; without a file, from the current folder. */
export function loadExecutorConfig(text: string | Uint8Array, file?: string): ExecutorConfig {
  const model = { schema: executorConfigSchema, check: configProblems };
  const raw = loadDocument(text, model, { file: file ?? "configuration" });
  return toConfig(raw, file === undefined ? process.cwd() : dirname(resolve(file)));
}

function toConfig({ executor = {} }: RawConfig, folder = ""): ExecutorConfig {
  const { scheduling = {}, retry = {}, session = {}, integration = {}, events = {} } = executor;
  const { strategy = "priority", module, max_parallel_tasks: tasksMax = 4, task_timeout: timeout = 3600 } = scheduling;
  return deepFreeze({
    scheduling: {
      strategy,
      ...(module === undefined ? {} : { module: modulePath(folder, module) }),
      maxParallelTasks: tasksMax,
      taskTimeoutMs: timeout * 1000,
    },
    retry: {
      maxAttempts: retry.max_attempts ?? RETRY_POLICY.maxAttempts,
      backoffMultiplier: retry.backoff_multiplier ?? RETRY_POLICY.backoffMultiplier,
      baseDelay: retry.base_delay ?? RETRY_POLICY.baseDelay,
      maxDelay: retry.max_delay ?? RETRY_POLICY.maxDelay,
      retryableErrors: retry.retryable_errors ?? RETRYABLE,
    },
    session: {
      preserveOnFailure: session.preserve_on_failure ?? true,
      cleanupOnSuccess: session.cleanup_on_success ?? true,
      maxConcurrentSessions: session.max_concurrent_sessions ?? 10,
    },
    integration: {
      stepMergePolicy: integration.step_merge_policy ?? "pr_and_notify",
      workflowMergePolicy: integration.workflow_merge_policy ?? "pr_and_notify",
      autoCreateFixTasks: integration.auto_create_fix_tasks ?? true,
      maxFixAttempts: integration.max_fix_attempts ?? 2,
      ...(integration.forge === undefined ? {} : { forge: toForge(integration.forge) }),
    },
    events: { enabled: events.enabled ?? true, streams: (events.streams ?? []).map(toStream) },
  });
}

function toStream(raw: RawStream): EventStream {
  const { type, level: chosen = "info", path = EVENT_FILE, url = "" } = raw;
  const { max_bytes: maxBytes, max_files: maxFiles, secret } = raw;
  switch (type) {
    case "stdout":
      return { type, level: chosen };
    case "file":
      return {
        type,
        path,
        level: chosen,
        ...(maxBytes === undefined ? {} : { maxBytes }),
        ...(maxFiles === undefined ? {} : { maxFiles }),
      };
    case "http":
      return { type, url, level: chosen, ...(secret === undefined ? {} : { secret }) };
  }
}

/** The type of streams for which a key has an effect. */
const STREAM_KEYS = { path: "file", max_bytes: "file", max_files: "file", url: "http", secret: "http" } as const;

/** A key that would have no effect is refused. */
function configProblems({ executor = {} }: RawConfig): readonly Problem[] {
  const { scheduling = {}, integration = {}, events = {} } = executor;
  const problems: Problem[] = [];
  const add = (path: Problem["path"], message: string): void =>
    void problems.push({ code: "CONFIGURATION_INVALID", path: ["executor", ...path], message });
  for (const [key, message] of forgeProblems(integration)) add(["integration", "forge", ...key], message);
  if (scheduling.strategy === "custom" && scheduling.module === undefined)
    add(["scheduling", "strategy"], "a custom strategy needs `module`, the path of the module that exports it");
  if (scheduling.strategy !== "custom" && scheduling.module !== undefined)
    add(["scheduling", "module"], "`module` has an effect only with `strategy: custom`");
  (events.streams ?? []).forEach((stream, index) => {
    const at = ["events", "streams", index];
    for (const [key, type] of Object.entries(STREAM_KEYS))
      if (stream[key as keyof typeof STREAM_KEYS] !== undefined && stream.type !== type)
        add([...at, key], `\`${key}\` has an effect only with \`type: ${type}\``);
    if (stream.url === undefined && stream.type === "http") add(at, "a stream of type `http` needs `url`");
  });
  return problems;
}

type ForgeProblem = readonly [key: readonly string[], message: string];

function forgeProblems(integration: NonNullable<NonNullable<RawConfig["executor"]>["integration"]>): ForgeProblem[] {
  const { forge, step_merge_policy: step, workflow_merge_policy: workflow } = integration;
  if (forge === undefined) return [];
  const problems: ForgeProblem[] = [];
  if (forge.allow_no_checks === true && forge.expected_checks !== undefined)
    problems.push([["allow_no_checks"], "`allow_no_checks` has no effect if `expected_checks` names checks"]);
  if (step !== undefined && workflow !== undefined && ![step, workflow].some(usesPullRequests))
    problems.push([
      [],
      "`forge` has no effect with these policies; use `pr_and_merge` or `pr_and_notify`, or remove it",
    ]);
  return problems;
}
