import { durationMs, stepId } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { actionText } from "./action-text.ts";
import { durationText } from "./duration-text.ts";

describe("what a step does", () => {
  it.each([
    [
      "a script by its first line that works",
      { kind: "run", script: "#!/bin/sh\nset -eu\n\nmake\nmake test\nmake install\n" },
      "make (+2 lines)",
    ],
    ["a script of comments by its first line", { kind: "run", script: "# nothing\n" }, "# nothing"],
    [
      "arguments, quoted where one could be taken for two",
      { kind: "exec", argv: ["cp", "a b", "", "${ input.to }", 7] },
      'cp "a b" "" ${ input.to } 7',
    ],
    ["an agent by its name", { kind: "agent", agent: "summarise" }, "summarise"],
    [
      "a call by method and address",
      { kind: "http", method: "POST", url: "https://example.com" },
      "POST https://example.com",
    ],
    ["a workflow by its name", { kind: "workflow", workflow: "deploy@2" }, "deploy@2"],
    ["a map by its list", { kind: "map", over: "input.files", steps: [] }, "for each of input.files"],
    [
      "a matrix by its lists in their order",
      {
        kind: "map",
        over: [
          { name: "os", list: "input.systems" },
          { name: "node", list: [24] },
        ],
        steps: [],
      },
      "for each of os × node",
    ],
    [
      "a signal",
      { kind: "wait", on: "signal", signal: "go", timeout: durationMs(60_000) },
      "for the signal go, at most 1m",
    ],
    ["a pause", { kind: "wait", on: "duration", for: durationMs(5400_000) }, "for 1h30m"],
    ["a time", { kind: "wait", on: "time", until: "${ input.at }" }, "until ${ input.at }"],
    [
      "an approval",
      { kind: "approve", by: ["ada", "grace"], quorum: 2, expires: durationMs(172_800_000) },
      "by ada, grace, 2 votes, reject after 2d",
    ],
    ["an approval by anybody", { kind: "approve" }, "by anyone"],
    ["a barrier", { kind: "barrier" }, "waits for several steps"],
  ] as const)("says %s", (_, action, text) => {
    expect(actionText(action)).toBe(text);
  });
});

describe("what a repetition does", () => {
  it.each([
    ["its number", { kind: "repeat", max: 7, steps: [] }, "7 times"],
    ["its condition", { kind: "repeat", until: "last.ok", max: 7, steps: [] }, "until last.ok, at most 7 times"],
    [
      "that a function ends it",
      { kind: "repeat", isEndedByHandler: true, max: 7, steps: [] },
      "until a function returns true, at most 7 times",
    ],
    [
      "that a function ends it in a step of its own",
      {
        kind: "repeat",
        until: "steps._until.output",
        max: 7,
        delay: durationMs(3000),
        steps: [{ id: stepId("_until"), action: { kind: "agent", agent: "until" } }],
      },
      "until a function returns true, at most 7 times, every 3s",
    ],
  ] as const)("says %s", (_, action, text) => {
    expect(actionText(action)).toBe(text);
  });
});

describe("a duration", () => {
  it.each([
    [0, "0ms"],
    [1500, "1s500ms"],
    [90_061_001, "1d1h1m1s1ms"],
  ])("CONTRACT-7 of %i ms reads %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
