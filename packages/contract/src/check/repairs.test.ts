import { describe, expect, it } from "vitest";

import { ContractError } from "../errors/contract-error.ts";
import { loadContract } from "../load/load-contract.ts";

function findProblems(text: string): readonly string[] {
  try {
    loadContract(text);
    return [];
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.problems.map(({ code, line, message, hint }) => `${line} ${code} ${message} => ${hint ?? ""}`);
  }
}

describe("a slip that leaves no doubt", () => {
  it("CONTRACT-3 `dependsOn` as a text suggests the list, and hides no other problem", () => {
    const text = `name: w
steps:
  - { id: a, run: x }
  - { id: b, run: x, dependsOn: a, when: inptu.x }
  - { id: c, run: x, dependsOn: "a, nope" }
  - { id: d, run: x, when: steps.b.output }
`;
    expect(findProblems(text)).toEqual([
      '4 WRONG_TYPE expected a list of ids of steps, found the text "a" => write `[a]`',
      "4 UNKNOWN_ROOT `inptu.x` reads `inptu`, which does not exist => did you mean `input`?",
      '5 WRONG_TYPE expected a list of ids of steps, found the text "a, nope" => write `[a, nope]`',
      "5 UNKNOWN_DEPENDENCY `c` depends on `nope`, which is not a step of this workflow => ",
      "6 READ_TOO_EARLY `steps.b.output` reads `steps.b`, but no dependency makes it end before this step starts => add to `d`: dependsOn: [b]",
    ]);
  });

  it("CONTRACT-3 other lists of names suggest the list as well", () => {
    expect(findProblems("name: w\nsecrets: token\nsteps: []")).toEqual([
      '2 WRONG_TYPE expected a list of names of secrets, found the text "token" => write `[token]`',
    ]);
  });

  it("CONTRACT-4 a key that is unknown or planned hides no other problem of its step", () => {
    const text = "name: w\nsteps:\n  - { id: a, run: x, cache: true, qwertz: 1, when: inptu.x }\n";
    expect(findProblems(text).map((problem) => problem.split(" ")[1])).toEqual([
      "KEY_PLANNED",
      "UNKNOWN_KEY",
      "UNKNOWN_ROOT",
    ]);
  });

  it("CONTRACT-3 a key of another tool gets a hint that says how it is written here", () => {
    const step =
      "name: w\nlabels: { a: b }\nsteps:\n  - { id: a, run: x }\n  - { id: b, run: x, needs: [a], matrix: { os: [x] } }\n";
    expect(findProblems(step)).toEqual([
      expect.stringMatching(/^2 UNKNOWN_KEY expected no key .labels. here => .*`--label name=value`/u),
      expect.stringMatching(/^5 UNKNOWN_KEY .* => did you mean `dependsOn`\?$/u),
      expect.stringMatching(/^5 UNKNOWN_KEY .*matrix.* => write `map: \{ over: \{/u),
    ]);
  });

  it("CONTRACT_IS_ONEX an ONEX contract is called one, and the message says what loads it", () => {
    expect(findProblems("version: 1\nworkflow_coordination: { steps: [] }\n")).toEqual([
      "2 CONTRACT_IS_ONEX expected a native contract, found an ONEX contract: it has `workflow_coordination` => load it with `loadOnexContract`; `loadContractFile` takes both kinds",
    ]);
  });

  it.each([
    ["steps.a.status == completed", "UNKNOWN_ROOT", "write `steps.a.status == 'succeeded'`"],
    ["input.s == `completed`", "EXPRESSION_SYNTAX", "write `input.s == 'completed'`"],
    ["input.s ?? 'x'", "EXPRESSION_SYNTAX", "write `input.s || 'x'`"],
    ["input.n > 3", "EXPRESSION_SYNTAX", "write input.n > `3`"],
    ["steps.a.status == 'completed'", "FIXED_COMPARISON", "did you mean 'succeeded'?"],
    ["steps.a.output.exitcode == `0`", "UNKNOWN_FIELD", "did you mean `steps.a.output.exitCode`?"],
    [
      "steps.a.output.critical > `0`",
      "UNKNOWN_FIELD",
      "for JSON, add `output: { select: from_json(stdout) }` to the command",
    ],
  ])("CONTRACT-3 %s gets a hint that shows the fix for that text", (source, code, hint) => {
    const when = JSON.stringify(source);
    const [problem, ...others] = findProblems(
      `name: w\nsteps:\n  - { id: a, run: x }\n  - { id: b, run: x, dependsOn: [a], when: ${when} }\n`,
    );
    expect([problem?.split(" ")[1], problem?.split(" => ")[1], others]).toEqual([code, hint, []]);
  });
});
