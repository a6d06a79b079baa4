// `repeat` in a contract (STATE-13): its definition, and the places of its problems.

import { describe, expect, it } from "vitest";
import { toYaml } from "../convert/to-yaml.ts";
import { ContractError } from "../errors/contract-error.ts";
import { loadContract } from "./load-contract.ts";

const contract = (repeat: string): string => `name: loop
steps:
  - id: poll
    repeat: ${repeat}
`;

function problems(text: string): readonly string[] {
  try {
    loadContract(text);
    return [];
  } catch (error) {
    return (error as ContractError).problems.map(({ code, line }) => `${line} ${code}`);
  }
}

describe("a repeat", () => {
  it("STATE-13 is an action with its steps, its condition, its number and its delay", () => {
    const text = contract(
      "{ until: last.done, max: 3, delay: 2s, result: ask, steps: [{ id: ask, run: x }, { id: tell, run: y }] }",
    );
    const definition = loadContract(text);
    const [{ action }] = definition.steps as never as [{ readonly action: object }];
    const steps = [{ id: "ask" }, { id: "tell" }];
    expect(action).toMatchObject({ kind: "repeat", until: "last.done", max: 3, delay: 2000, result: "ask", steps });
    expect(loadContract(toYaml(definition))).toEqual(definition);
  });

  it.each([
    ["{ steps: [{ id: a, run: x }] }", "REPEAT_ENDLESS"],
    ["{ max: 0, steps: [{ id: a, run: x }] }", "OUT_OF_RANGE"],
    ["{ max: 2, steps: [] }", "OUT_OF_RANGE"],
    ["{ until: '${ last }', steps: [{ id: a, run: x }] }", "WRONG_VALUE"],
    ["{ until: \"'yes'\", steps: [{ id: a, run: x }] }", "UNTIL_NOT_BOOLEAN"],
    ["{ until: item, steps: [{ id: a, run: x }] }", "ROOT_NOT_HERE"],
    ["{ until: steps.b.output, steps: [{ id: a, run: x }] }", "UNKNOWN_STEP"],
    ["{ max: 1, result: b, steps: [{ id: a, run: x }] }", "UNKNOWN_RESULT"],
    ["{ max: 1, while: x, steps: [{ id: a, run: x }] }", "UNKNOWN_KEY"],
    ["{ max: 1, delay: soon, steps: [{ id: a, run: x }] }", "WRONG_VALUE"],
    ["{ max: 1, delay: 1s, steps: [{ id: _delay, run: x }] }", "STEP_ID_INVALID"],
    ["{ max: 1, steps: [{ id: a, run: x, output: { to: variables.x } }] }", "CAPTURE_IN_SCOPE"],
  ])("is refused with its place: %s", (repeat, code) => {
    expect(problems(contract(repeat))).toEqual([`4 ${code}`]);
  });

  it("KEYS_CONFLICT has no retry of its own, and `last` exists only inside it", () => {
    const text = `${contract("{ max: 1, steps: [{ id: a, run: x }] }")}    retry: 2\n  - id: b\n    exec: [echo, "\${ last }"]\n`;
    expect(problems(text)).toEqual(["5 KEYS_CONFLICT", "7 ROOT_NOT_HERE"]);
  });
});
