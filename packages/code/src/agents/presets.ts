// Known coding agents as data: how each is called, and how its output is read.
//
// Placeholders in arguments: `{prompt}` is the path of a file with the prompt, `{last}` the path of a file for its last
// message, `{workspace}` the folder in which it works. Without `{prompt}` the prompt is written to standard input.

import type { JsonObject } from "@segno/kernel";
import { isAmount, isObject, type AgentEvent, type ReportedResult, type LineReader } from "./agent-event.ts";
import { errorResult, retryAfter } from "./rate-limit.ts";

export interface AgentPreset {
  readonly argv: readonly string[];
  /** Variables that the program needs beside the common ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** The variables of the user that it needs, such as keys of its provider; a trailing `*` matches any suffix. */
  readonly inherits: readonly string[];
  readonly readLine?: LineReader;
  /** Reads the last lines of text of a program that reports no result; undefined if its exit code decides. */
  readonly readEnd?: (lines: readonly string[]) => ReportedResult | undefined;
  /** Whether the program writes the errors of its provider to standard error, and nothing that an agent says. */
  readonly hasErrorsOnStderr?: boolean;
  /** Exit codes that mean that another attempt cannot succeed. */
  readonly lastingExitCodes?: readonly number[];
  /** The agent is ended if it writes nothing for this time. */
  readonly stallMs?: number;
}

/** The agents that Segno knows by name. */
export type PresetName = "claude" | "codex" | "gemini" | "aider";

export const PRESETS: Readonly<Record<PresetName, AgentPreset>> = {
  claude: {
    argv: ["claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"],
    inherits: ["ANTHROPIC_*", "CLAUDE_*"],
    readLine: readClaude,
  },
  codex: {
    argv: ["codex", "exec", "--json", "--sandbox", "workspace-write", "--cd", "{workspace}", "-o", "{last}", "-"],
    inherits: ["OPENAI_*", "CODEX_*"],
    readLine: readCodex,
    hasErrorsOnStderr: true,
  },
  gemini: {
    argv: ["gemini", "--output-format", "stream-json", "--approval-mode=yolo"],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    inherits: ["GEMINI_*", "GOOGLE_*"],
    readLine: readGemini,
    hasErrorsOnStderr: true,
    lastingExitCodes: [41, 42, 44, 52, 55],
  },
  aider: {
    argv: "aider --message-file {prompt} --yes-always --no-auto-commits --no-dirty-commits --no-stream".split(" "),
    inherits: ["AIDER_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*"],
    readEnd: readAiderEnd,
  },
};

function readClaude(line: JsonObject): readonly AgentEvent[] | undefined {
  if (line["type"] === "system" && typeof line["session_id"] === "string")
    return [{ kind: "session", sessionId: line["session_id"] }];
  if (line["type"] !== "result") return undefined;
  const isFailed = line["is_error"] === true || line["subtype"] !== "success";
  const text = [line["result"], line["subtype"]].find((each) => typeof each === "string") ?? "";
  const cost = line["total_cost_usd"];
  const usage = { ...tokens(line["usage"]), ...(isAmount(cost) ? { costUsd: cost } : {}) };
  const result: ReportedResult = { status: isFailed ? failureStatus(line) : "succeeded", summary: text, usage };
  return [
    { kind: "usage", usage },
    { kind: "result", result },
  ];
}

/** A provider's limit is not a failure of the task. */
function failureStatus(line: JsonObject): ReportedResult["status"] {
  return line["api_error_status"] === 429 || line["terminal_reason"] === "rate_limit" ? "rate_limited" : "failed";
}

function readCodex(line: JsonObject): readonly AgentEvent[] | undefined {
  switch (line["type"]) {
    case "thread.started":
      return typeof line["thread_id"] === "string" ? [{ kind: "session", sessionId: line["thread_id"] }] : undefined;
    case "turn.completed": {
      const usage = tokens(line["usage"]);
      return [
        { kind: "usage", usage },
        { kind: "result", result: { status: "succeeded", usage } },
      ];
    }
    case "turn.failed":
    case "error":
      return [{ kind: "result", result: errorResult(errorText(line)) }];
    default:
      return undefined;
  }
}

function readGemini(line: JsonObject): readonly AgentEvent[] | undefined {
  if (line["type"] === "init" && typeof line["session_id"] === "string")
    return [{ kind: "session", sessionId: line["session_id"] }];
  if (line["type"] !== "result") return undefined;
  const usage = tokens(line["stats"]);
  const isFailed = line["status"] === "error";
  const result: ReportedResult = isFailed ? { ...errorResult(errorText(line)), usage } : { status: "succeeded", usage };
  return [
    { kind: "usage", usage },
    { kind: "result", result },
  ];
}

const AIDER_LIMIT = /^(?:litellm\.RateLimitError\b|The API provider has rate limited you)/u;
const AIDER_RETRY = /^Retrying in /u;

/** Aider tries again several times after a limit. When it gives up, it exits as after success. */
function readAiderEnd(lines: readonly string[]): ReportedResult | undefined {
  const last = lines.findLastIndex((line) => AIDER_LIMIT.test(line));
  if (last < 0 || lines.slice(last).some((line) => AIDER_RETRY.test(line))) return undefined;
  const text = lines.filter((line) => AIDER_LIMIT.test(line)).join("\n");
  return { status: "rate_limited", summary: text, ...retryAfter(text) };
}

function tokens(usage: JsonObject[string] | undefined): {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
} {
  if (!isObject(usage)) return {};
  const input = usage["input_tokens"];
  const output = usage["output_tokens"];
  return { ...(isAmount(input) ? { inputTokens: input } : {}), ...(isAmount(output) ? { outputTokens: output } : {}) };
}

function errorText(line: JsonObject): string {
  const error = line["error"];
  if (isObject(error) && typeof error["message"] === "string") return error["message"];
  return typeof line["message"] === "string" ? line["message"] : "the agent reported an error";
}
