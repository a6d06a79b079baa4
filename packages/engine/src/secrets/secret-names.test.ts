import { compileOrThrow, stepId, type Definition, type StepDefinition } from "@segno/kernel";
import { describe, expect, it } from "vitest";
import { listSecretNames } from "./secret-names.ts";

function step(id: string, parts: Partial<StepDefinition> = {}): StepDefinition {
  return { id: stepId(id), action: { kind: "agent", agent: "work" }, ...parts };
}

const secret = (name: string): string => `\${ secrets.${name} }`;

describe("the secrets of a definition", () => {
  it("DATA-1 are those that it, its steps, their calls, compensations and maps name, each once", () => {
    const definition: Definition = {
      name: "many",
      steps: [
        step("listed", { secrets: ["of-step", "shared"] }),
        step("listed-too", { secrets: ["shared"] }),
        step("input", { input: { deep: [{ text: secret("of-input") }] } }),
        step("env", {
          action: { kind: "run", script: "true" },
          env: { A: secret("of-env"), B: secret('"quoted name"') },
        }),
        step("http", {
          action: {
            kind: "http",
            method: "GET",
            url: "https://example.com",
            headers: { authorization: secret("of-header") },
          },
        }),
        step("undone", {
          compensate: {
            action: { kind: "run", script: "true" },
            secrets: ["of-undo"],
            env: { A: secret("of-undo-env") },
          },
        }),
        step("map", {
          action: {
            kind: "map",
            over: "input.list",
            steps: [step("inner", { input: secret("of-map"), secrets: ["of-inner"] })],
          },
        }),
      ],
    };
    const names = ["of-step", "shared", "of-input", "of-env", "quoted name", "of-header"];
    const expected = [...names, "of-undo", "of-undo-env", "of-inner", "of-map"];
    expect(listSecretNames(definition)).toEqual(expected);
    expect(listSecretNames(definition, compileOrThrow(definition))).toEqual(expected);
  });

  it("DATA-1 are also those that it declares and nobody uses", () => {
    const steps = [step("a", { secrets: ["used"], input: secret("used") })];
    expect(listSecretNames({ name: "declaring", secrets: ["unused", "used"], steps })).toEqual(["unused", "used"]);
  });

  it("DATA-1 are not what only looks like one", () => {
    const input = { literal: "$${ secrets.a }", text: "secrets.b", other: "${ input.secrets }" };
    expect(listSecretNames({ name: "none", steps: [step("a", { input })] })).toEqual([]);
  });

  it("DATA-1 of what is no definition cannot be told", () => {
    expect(() => listSecretNames({ name: "bad", steps: [step("a", { input: "${ secrets" })] })).toThrow(
      expect.objectContaining({ code: "DEFINITION_INVALID" }),
    );
  });
});
