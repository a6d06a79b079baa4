import { stepId, type Definition, type JsonPath } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { documentPath } from "./document-path.ts";

const DEFINITION: Definition = {
  name: "w",
  steps: [
    { id: stepId("a"), action: { kind: "run", script: "x" }, compensate: { action: { kind: "exec", argv: ["y"] } } },
    { id: stepId("b"), action: { kind: "http", method: "GET", url: "u" } },
    {
      id: stepId("c"),
      action: {
        kind: "map",
        over: "input",
        steps: [{ id: stepId("i"), action: { kind: "agent", agent: "z" }, input: { action: 1 } }],
      },
    },
  ],
};

const ROWS: readonly (readonly [JsonPath, JsonPath])[] = [
  [["name"], ["name"]],
  [
    ["steps", 0, "action", "script"],
    ["steps", 0, "run"],
  ],
  [
    ["steps", 0, "action"],
    ["steps", 0, "run"],
  ],
  [
    ["steps", 0, "env", "action"],
    ["steps", 0, "env", "action"],
  ],
  [
    ["steps", 0, "compensate", "action", "argv", 0],
    ["steps", 0, "compensate", "exec", 0],
  ],
  [
    ["steps", 0, "compensate", "input"],
    ["steps", 0, "compensate", "input"],
  ],
  [
    ["steps", 1, "action", "headers", "X"],
    ["steps", 1, "http", "headers", "X"],
  ],
  [
    ["steps", 2, "action", "over"],
    ["steps", 2, "map", "over"],
  ],
  [
    ["steps", 2, "action", "steps", 0, "action", "agent"],
    ["steps", 2, "map", "steps", 0, "agent"],
  ],
  [
    ["steps", 2, "action", "steps", 0, "input", "action"],
    ["steps", 2, "map", "steps", 0, "input", "action"],
  ],
  [
    ["steps", 9, "action"],
    ["steps", 9, "action"],
  ],
];

describe("the place of a definition's field in its document", () => {
  it.each(ROWS)("CONTRACT-3 %j is written at %j", (path, expected) => {
    expect(documentPath(DEFINITION, path)).toEqual(expected);
  });
});
