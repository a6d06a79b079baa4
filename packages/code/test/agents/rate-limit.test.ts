import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readLine } from "../../src/agents/agent-event.ts";
import { PRESETS } from "../../src/agents/presets.ts";
import { isRateLimit, retryAfter } from "../../src/agents/rate-limit.ts";
import { RoutedAgents } from "../../src/agents/routed-agents.ts";
import { AgentFolders, runSession } from "./agent-session.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the error text of a program", () => {
  it.each([
    ["exceeded retry limit, last status: 429 Too Many Requests", undefined],
    ["You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 5 minutes.", 273_900_000],
    ["Rate limit reached for o4-mini in organization org-1 on tokens per min. Please try again in 1.2s.", 1200],
    ["[API Error: got status: RESOURCE_EXHAUSTED. Please retry in 39.5s]", 39_500],
    ["You have exhausted your daily quota on this model.", undefined],
    ["Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'", undefined],
    ["litellm.RateLimitError: AnthropicException - rate_limit_error", undefined],
    ["Resource has been exhausted (e.g. check quota). Retry after 1m30s", 90_000],
  ])("CODE-12 `%s` is a limit of the provider", (text, retryAfterMs) => {
    expect(isRateLimit(text)).toBe(true);
    expect(retryAfter(text)).toEqual(retryAfterMs === undefined ? {} : { retryAfterMs });
  });

  it.each([
    "You exceeded your current quota, please check your plan and billing details. (429 insufficient_quota)",
    "the tests of the rate limiter fail",
    "line 4290 is too long",
    "stream disconnected before completion",
  ])("CODE-12 `%s` is a failure", (text) => {
    expect(isRateLimit(text)).toBe(false);
  });
});

describe("a preset", () => {
  it.each([
    ["codex", '{"type":"turn.failed","error":{"message":"You\'ve hit your usage limit. Try again in 2 hours."}}'],
    ["codex", '{"type":"error","message":"unexpected status 429 Too Many Requests: try again in 2h"}'],
    ["gemini", '{"type":"result","status":"error","error":{"message":"RESOURCE_EXHAUSTED: retry in 7200s"}}'],
  ] as const)("CODE-12 of %s reads a limit of the provider", (name, line) => {
    const events = readLine(line, PRESETS[name].readLine);
    expect(events.find(({ kind }) => kind === "result")).toMatchObject({
      result: { status: "rate_limited", retryAfterMs: 7_200_000 },
    });
  });

  it("CODE-12 of aider reads a limit at which it gave up, and none after which it went on", () => {
    const { readEnd } = PRESETS.aider;
    const limit = ["litellm.RateLimitError: limit", "The API provider has rate limited you. Try again later."];
    expect(readEnd!([...limit, "Retrying in 32.0 seconds...", ...limit])).toMatchObject({ status: "rate_limited" });
    expect(readEnd!([...limit, "Retrying in 0.2 seconds...", "Applied edit to a.txt"])).toBeUndefined();
    expect(readEnd!(["Applied edit to a.txt"])).toBeUndefined();
  });
});

describe("a program that meets a limit", () => {
  it.each([
    ["aider", "echo 'litellm.RateLimitError: please try again in 30s'"],
    ["codex", "echo 'ERROR: exceeded retry limit, last status: 429 Too Many Requests; try again in 30s' >&2; exit 1"],
    ["gemini", "echo '[API Error: RESOURCE_EXHAUSTED, retry in 30s]' >&2; exit 1"],
  ] as const)("CODE-12 is put off: %s", async (preset, script) => {
    using folders = new AgentFolders();
    writeFileSync(join(folders.root, preset), `#!/bin/sh\ncat > /dev/null\n${script}\n`);
    chmodSync(join(folders.root, preset), 0o755);
    vi.stubEnv("PATH", `${folders.root}${delimiter}${process.env["PATH"]}`);
    const agents = new RoutedAgents({ agents: { only: { preset } } });
    expect((await runSession(agents, folders)).outcome).toEqual({ kind: "rate-limited", retryAfterMs: 30_000 });
  });
});
