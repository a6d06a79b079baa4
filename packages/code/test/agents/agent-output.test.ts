import { describe, expect, it } from "vitest";
import { addUsage, readLine, readResult } from "../../src/agents/agent-event.ts";
import { toOutcome } from "../../src/agents/agent-outcome.ts";
import { OutputLines } from "../../src/agents/output-lines.ts";
import { PRESETS } from "../../src/agents/presets.ts";

const EXITED = { code: 0, signal: null };

describe("a line of an agent", () => {
  it.each([
    ["plain text", [{ kind: "message", text: "plain text" }]],
    ["", []],
    ['{"segno":1,"type":"progress","text":"half"}', [{ kind: "progress", text: "half" }]],
    ['{"segno":1,"type":"tool","name":"edit"}', [{ kind: "tool", name: "edit" }]],
    ['{"segno":1,"type":"session","sessionId":"s1"}', [{ kind: "session", sessionId: "s1" }]],
    ['{"segno":1,"type":"usage","inputTokens":3,"costUsd":-1}', [{ kind: "usage", usage: { inputTokens: 3 } }]],
    [
      '{"segno":1,"type":"result","status":"rate_limited","retryAfter":2}',
      [{ kind: "result", result: { status: "rate_limited", retryAfterMs: 2000 } }],
    ],
  ])("CODE-12 %s is read", (line, events) => {
    expect(readLine(line, undefined)).toEqual(events);
  });

  it.each(['{"segno":1,"type":"new"}', '{"segno":2}', '{"a":', "[1]", '{"segno":1,"type":"result","status":"great"}'])(
    "CODE-12 %s is text",
    (line) => {
      expect(readLine(line, undefined)).toEqual([{ kind: "message", text: line }]);
    },
  );
});

describe("a preset", () => {
  it("CODE-12 reads the result of claude, its cost, and a limit of the provider", () => {
    const { readLine: read } = PRESETS.claude;
    const success =
      '{"type":"result","subtype":"success","result":"done","total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":2}}';
    expect(readLine(success, read)).toContainEqual({
      kind: "result",
      result: { status: "succeeded", summary: "done", usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.5 } },
    });
    const limited = '{"type":"result","subtype":"error_during_execution","is_error":true,"api_error_status":429}';
    expect(readLine(limited, read)).toContainEqual(
      expect.objectContaining({ result: expect.objectContaining({ status: "rate_limited" }) as unknown }),
    );
  });

  it("CODE-12 reads the results of codex and gemini", () => {
    const failed = '{"type":"turn.failed","error":{"message":"no"}}';
    expect(readLine(failed, PRESETS.codex.readLine)).toEqual([
      { kind: "result", result: { status: "failed", summary: "no" } },
    ]);
    expect(readLine('{"type":"result","status":"success"}', PRESETS.gemini.readLine)).toContainEqual({
      kind: "result",
      result: { status: "succeeded", usage: {} },
    });
  });

  it("CODE-12 keeps lines that it does not know as text", () => {
    for (const { readLine: read } of Object.values(PRESETS))
      expect(readLine('{"type":"something.new"}', read)).toEqual([
        { kind: "message", text: '{"type":"something.new"}' },
      ]);
  });
});

describe("the outcome of an agent", () => {
  it("CODE-12 is what the engine did, then the result file, then the result event, then the exit code", () => {
    const resultFile = { status: "no_changes" } as const;
    const resultEvent = { status: "failed", summary: "no" } as const;
    const intervention = { kind: "stalled", silentMs: 5 } as const;
    expect(toOutcome({ intervention, resultFile, resultEvent, exit: EXITED })).toEqual(intervention);
    expect(toOutcome({ resultFile, resultEvent, exit: { code: 1, signal: null } }).kind).toBe("no-changes");
    expect(toOutcome({ resultEvent, exit: EXITED })).toMatchObject({ kind: "failed", reason: "no" });
    expect(toOutcome({ exit: EXITED }).kind).toBe("succeeded");
  });

  it.each([
    [10, { kind: "needs-input" }],
    [20, { kind: "no-changes" }],
    [75, { kind: "failed", isLasting: false }],
    [77, { kind: "failed", isLasting: true }],
    [78, { kind: "failed", isLasting: true }],
    [1, { kind: "failed", isLasting: false }],
  ])("CODE-12 of the exit code %d is kept apart", (code, outcome) => {
    expect(toOutcome({ exit: { code, signal: null } })).toMatchObject(outcome);
  });

  it("CODE-12 of a result file without a valid status is ignored", () => {
    for (const value of [null, [], {}, { status: "merged" }, "succeeded"]) expect(readResult(value)).toBeUndefined();
  });
});

describe("the usage of an agent", () => {
  it("CODE-12 is summed", () => {
    expect(addUsage({ inputTokens: 1, costUsd: 0.25 }, { inputTokens: 2, outputTokens: 5, costUsd: 0.5 })).toEqual({
      inputTokens: 3,
      outputTokens: 5,
      costUsd: 0.75,
    });
  });
});

describe("lines of output", () => {
  function split(chunks: readonly Uint8Array[], charsMax?: number): readonly string[] {
    const lines: string[] = [];
    const output = new OutputLines((line) => lines.push(line), charsMax);
    for (const chunk of chunks) output.write(chunk);
    output.end();
    return lines;
  }

  it("CODE-4 are put together across chunks, also within a character", () => {
    const bytes = Buffer.from("one\r\nzwölf\nlast");
    expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(["one", "zwölf", "last"]);
  });

  it("CODE-4 are cut when they are too long, and the next line is whole", () => {
    expect(split([Buffer.from(`${"x".repeat(50)}\nnext\n`)], 10)).toEqual(["x".repeat(10), "next"]);
  });

  it("CODE-4 of invalid bytes are text", () => {
    expect(split([Uint8Array.of(0xff, 0xfe, 0x0a)])).toEqual(["\uFFFD\uFFFD"]);
  });
});
