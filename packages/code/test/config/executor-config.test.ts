import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { EXECUTOR_DEFAULTS, loadExecutorConfig } from "../../src/config/executor-config.ts";

/** Without its end, so that a test can add keys. */
const FORGE = "{ kind: github, repository: a/b, token_secret: T";

const SOURCE = `
executor:
  scheduling:
    strategy: priority
    max_parallel_tasks: 4
    task_timeout: 3600
  retry:
    max_attempts: 3
    backoff_multiplier: 2
    base_delay: 1000
    max_delay: 30000
    retryable_errors: [network_timeout, agent_timeout, resource_unavailable]
  session:
    preserve_on_failure: true
    cleanup_on_success: true
    max_concurrent_sessions: 10
  integration:
    step_merge_policy: pr_and_notify
    workflow_merge_policy: pr_and_notify
    auto_create_fix_tasks: true
    max_fix_attempts: 2
  events:
    enabled: true
    streams: []
`;

describe("the configuration of an executor", () => {
  it("CODE-13 has the defaults of the source", () => {
    expect(loadExecutorConfig(SOURCE)).toEqual(EXECUTOR_DEFAULTS);
    expect(loadExecutorConfig("executor: {}\n")).toEqual(EXECUTOR_DEFAULTS);
  });

  it("CODE-13 takes each key", () => {
    const config = loadExecutorConfig(
      `
executor:
  scheduling: { strategy: custom, module: ./mine.ts, max_parallel_tasks: 2, task_timeout: 60 }
  retry: { max_attempts: 5, backoff_multiplier: 3, base_delay: 10, max_delay: 20, retryable_errors: [ci_failure] }
  session: { preserve_on_failure: false, cleanup_on_success: false, max_concurrent_sessions: 1 }
  integration: { step_merge_policy: auto, workflow_merge_policy: manual, auto_create_fix_tasks: false, max_fix_attempts: 0 }
  events:
    enabled: false
    streams: [{ type: file, level: debug }, { type: http, url: "https://example.com/events" }]
`,
      "conf/executor.yaml",
    );
    expect(config).toEqual({
      scheduling: { strategy: "custom", module: resolve("conf/mine.ts"), maxParallelTasks: 2, taskTimeoutMs: 60_000 },
      retry: { maxAttempts: 5, backoffMultiplier: 3, baseDelay: 10, maxDelay: 20, retryableErrors: ["ci_failure"] },
      session: { preserveOnFailure: false, cleanupOnSuccess: false, maxConcurrentSessions: 1 },
      integration: {
        stepMergePolicy: "auto",
        workflowMergePolicy: "manual",
        autoCreateFixTasks: false,
        maxFixAttempts: 0,
      },
      events: {
        enabled: false,
        streams: [
          { type: "file", path: ".segno/logs/execution.log", level: "debug" },
          { type: "http", url: "https://example.com/events", level: "info" },
        ],
      },
    });
  });

  it.each([
    ["executor: { scheduling: { strateg: fifo } }", /did you mean|strateg/u],
    ["executor: { scheduling: { strategy: custom } }", /needs `module`/u],
    ["executor: { scheduling: { module: ./x.ts } }", /only with `strategy: custom`/u],
    ["executor: { scheduling: { max_parallel_tasks: 0 } }", /whole number from 1/u],
    ["executor: { retry: { retryable_errors: [flaky] } }", /network_timeout/u],
    ["executor: { events: { streams: [{ type: stdout, path: x }] } }", /path/u],
    ["executor: { events: { streams: [{ type: http }] } }", /url/u],
    ["executor: { events: { streams: [{ type: stdout, max_bytes: 2000 }] } }", /`max_bytes` has an effect only/u],
    ["executor: { events: { streams: [{ type: file, max_bytes: 10 }] } }", /whole number from 1,024/u],
    ["executor: { events: { streams: [{ type: file, max_files: 0 }] } }", /whole number from 1/u],
    ["executor: { events: { streams: [{ type: file, secret: hook }] } }", /`secret` has an effect only/u],
    [`executor: { integration: { forge: ${FORGE}, allow_no_checks: true, expected_checks: [x] } } }`, /no effect if/u],
    [
      `executor: { integration: { step_merge_policy: auto, workflow_merge_policy: checks, forge: ${FORGE} } } }`,
      /`forge` has no effect with these policies/u,
    ],
    ["executor: { integration: { forge: { kind: github, repository: a/b } } }", /token_secret/u],
  ])("CODE-13 refuses %s", (text, message) => {
    expect(() => loadExecutorConfig(text)).toThrow(message);
  });
});
