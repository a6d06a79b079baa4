// Expressions that can never be right, as somebody who loads a contract sees them.

import { describe, expect, it } from "vitest";

import { ContractError, type LocatedProblem } from "../errors/contract-error.ts";
import { loadContract } from "./load-contract.ts";

function findProblems(text: string): readonly LocatedProblem[] {
  try {
    loadContract(text);
    return [];
  } catch (error) {
    if (error instanceof ContractError) return error.problems;
    throw error;
  }
}

describe("expressions of a contract", () => {
  it("CONTRACT-11 a condition that misspells a name of the input's schema is refused, and the approval is not skipped", () => {
    const [problem] = findProblems(
      "name: w\ninput: { properties: { channel: { enum: [stable, next] } } }\nsteps:\n  - { id: ok, approve: {}, when: input.chanel == 'next' }",
    );
    expect(problem).toMatchObject({
      code: "UNKNOWN_FIELD",
      line: 4,
      column: 34,
      hint: "did you mean `input.channel`?",
    });
  });

  it("CONTRACT-3 a variable is not called unknown while a step that may write it cannot be read", () => {
    const text =
      "name: w\nsteps:\n  - { id: a, rn: x, output: { to: variables.v } }\n  - { id: b, run: y, dependsOn: [a], env: { V: '${ variables.v }' } }";
    expect(findProblems(text).map(({ code }) => code)).toEqual(["UNKNOWN_KEY"]);
  });
});
