import { readEvent, type Event, type Json } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { encodeBlock } from "../../src/journal/block-encoding.ts";

const NULL_OUTPUT = { kind: "inline", json: null } as const;

const head = { v: 1, seq: 1, at: 5 };
const completed = { ...head, kind: "step.completed", step: 0, output: NULL_OUTPUT };
const started = { ...head, kind: "step.started", step: 0, attempt: 1, epoch: 1 };

describe("the events of every step", () => {
  it.each([
    ["a signal", { ...completed, signal: "s" }],
    ["the mark of the last iteration", { ...completed, isLast: true }],
    ["artifacts", { ...completed, artifacts: [{ path: "a.txt", hash: "a".repeat(64), bytes: 1 }] }],
    ["nothing else", completed],
    ["a call", { ...started, call: NULL_OUTPUT }],
    ["a deadline", { ...started, deadline: 9 }],
    ["a worker", { ...started, worker: "w" }],
    ["secrets", { ...started, secrets: [] }],
  ])("JOURNAL-2 are written whole: with %s", (_, event) => {
    const { block } = encodeBlock([event as unknown as Event], "");
    const read = readEvent(JSON.parse(block.body) as Json);
    expect(read).toEqual({ kind: "event", event });
  });
});
