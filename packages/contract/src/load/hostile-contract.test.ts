// Contracts that are small enough to be read, and were dear to be checked. Each of these took minutes, or all memory.

import { describe, expect, it } from "vitest";

import { ContractError } from "../errors/contract-error.ts";
import { formatProblems } from "../errors/format-problems.ts";
import { loadContract } from "./load-contract.ts";

type Line = (index: number) => string;

function contract(...lists: readonly (readonly [count: number, line: Line])[]): string {
  const lines = lists.flatMap(([count, line]) => Array.from({ length: count }, (_, index) => `- ${line(index)}`));
  return `name: w\nsteps:\n${lines.join("\n")}`;
}

function refusal(text: string): ContractError {
  try {
    loadContract(text);
  } catch (error) {
    if (error instanceof ContractError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

const listCodes = ({ problems }: ContractError): readonly string[] => [...new Set(problems.map(({ code }) => code))];

const names = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join(", ");

describe("a contract of many steps", () => {
  it("CONTRACT-9 7,000 writers and 7,000 readers of a variable that nothing orders are refused", () => {
    const text = contract(
      [7000, (index) => `{id: w${index}, run: a, output: {to: variables.x, merge: append}}`],
      [7000, (index) => `{id: r${index}, run: a, input: "\${variables.x}"}`],
    );
    const error = refusal(text);
    expect(listCodes(error)).toEqual(["READ_TOO_EARLY", "PROBLEMS_OMITTED"]);
    expect(error.problems).toHaveLength(1001);
    expect(error.problems.at(-1)!.message).toBe("6,000 more problems are not listed");
    expect(error.problems[0]!.hint).toBe("add to `r0`: dependsOn: [w0, w1, w2, w3, w4, w5, w6, w7, …]");
    expect(formatProblems(error.problems, text)).toMatch(
      /… and 950 more problems\n\nPROBLEMS_OMITTED\n {2}6,000 more problems are not listed\n$/u,
    );
  });

  it("CONTRACT-9 CONTRACT-11 2,000 writers, a barrier and 2,000 readers are accepted", () => {
    const barrier = (count: number): string => `{id: b, barrier: true, dependsOn: [${names("w", count)}]}`;
    const steps = (count: number): string =>
      contract(
        [2000, (index) => `{id: w${index}, run: a, output: {to: variables.x${index}}}`],
        [1, () => barrier(count)],
        [2000, (index) => `{id: r${index}, run: a, dependsOn: [b], input: "\${variables}"}`],
      );
    expect(loadContract(steps(2000)).steps).toHaveLength(4001);
    const error = refusal(steps(1999));
    expect(error.problems[0]!.message).toMatch(/^`variables` reads `variables\.x1999`, which `w1999` writes, but/u);
  });

  it("CONTRACT-9 4,000 maps whose steps read what stands before the map are accepted", () => {
    const text = contract(
      [1, () => "{id: a, run: a, output: {to: variables.x}}"],
      [
        4000,
        (index) =>
          `{id: m${index}, dependsOn: [a], map: {over: variables.x, steps: [{id: i, run: a, input: "\${steps.a.output}"}]}}`,
      ],
    );
    expect(loadContract(text).steps).toHaveLength(4001);
  });
});

describe("a contract of many faults", () => {
  it("CONTRACT-9 2,000 unknown dependencies with long ids are refused", () => {
    const word = "a".repeat(110);
    const error = refusal(contract([2000, (index) => `{id: ${word}${index}, run: a, dependsOn: [${word}x${index}]}`]));
    expect(listCodes(error)).toEqual(["UNKNOWN_DEPENDENCY", "PROBLEMS_OMITTED"]);
  });

  it("CONTRACT-9 10,000 unknown dependencies with short ids are refused, and the first ones get a suggestion", () => {
    const error = refusal(contract([10_000, (index) => `{id: s-${index}, run: a, dependsOn: [s_${index}]}`]));
    expect(error.problems[0]!.hint).toBe("did you mean `s-0`?");
    expect(error.problems.at(-1)!.code).toBe("PROBLEMS_OMITTED");
  });

  it("CONTRACT-9 5,000 reads of unknown steps among 5,000 ids with a hyphen are refused", () => {
    const error = refusal(contract([5000, (index) => `{id: s-${index}, run: a, when: "steps.s-${index}x.output"}`]));
    expect(error.problems).toHaveLength(1001);
  });

  it("CONTRACT-9 a cycle of 8,000 steps with names is refused in a message of bounded length", () => {
    const error = refusal(
      contract([8000, (index) => `{id: s${index}, name: n${index}, run: a, dependsOn: [s${(index + 1) % 8000}]}`]),
    );
    expect(listCodes(error)).toEqual(["DEPENDENCY_CYCLE"]);
    expect(error.problems[0]!.message.length).toBeLessThan(1100);
  });

  it("CONTRACT-9 a chain of 5,000 fallbacks that read each other is accepted", () => {
    const text = contract([
      5000,
      (index) =>
        `{id: s${index}, run: a${index < 4999 ? `, fallback: s${index + 1}` : ""}${index === 0 ? "" : `, input: "\${steps.s0.error}"`}}`,
    ]);
    expect(loadContract(text).steps).toHaveLength(5000);
  });

  it("CONTRACT-9 5,000 read-only paths and 5,000 writers are accepted", () => {
    const text = contract([5000, (index) => `{id: s${index}, run: a, output: {to: variables.v.x${index}}}`]);
    expect(loadContract(`readOnly: [${names("variables.r.x", 5000)}]\n${text}`).steps).toHaveLength(5000);
  });

  it("CONTRACT-9 one expression with hundreds of unknown reads does not repeat itself in full in each problem", () => {
    const source = Array.from({ length: 400 }, (_, index) => `steps.x${index}`).join(", ");
    const error = refusal(contract([100, (index) => `{id: s${index}, run: a, when: "[${source}]"}`]));
    expect(Math.max(...error.problems.map(({ message }) => message.length))).toBeLessThan(1100);
  });

  it("CONTRACT-9 10,000 broken steps are refused together with what is wrong between them", () => {
    const error = refusal(contract([10_000, (index) => `{id: s${index}, run: 5, dependsOn: [x${index}]}`]));
    expect(listCodes(error)).toEqual(["WRONG_TYPE", "PROBLEMS_OMITTED"]);
  });
});
