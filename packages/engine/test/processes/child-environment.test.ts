import { afterEach, describe, expect, it } from "vitest";
import { INHERITED_VARIABLES, inheritedVariables } from "../../src/runners/process/child-environment.ts";
import { failureIn, outputOf, workbench } from "./workbench.ts";
import type { FakeOptions } from "./fake-attempt.ts";

const bench = workbench();

/** The environment that a command really has. */
async function environmentOf(options: FakeOptions = {}): Promise<Record<string, string>> {
  const output = outputOf(await bench.current.exec(["env", "-0"], options)) as { stdout: string };
  const pairs = output.stdout.split("\0").filter((line) => line !== "");
  return Object.fromEntries(pairs.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

describe("C2-14 the environment of a command", () => {
  afterEach(() => {
    delete process.env["SEGNO_TEST_TOKEN"];
    delete process.env["DATABASE_URL"];
    delete process.env["LC_SEGNO"];
  });

  it("comes from an allow-list: tokens of this process never reach a command", async () => {
    process.env["SEGNO_TEST_TOKEN"] = "canary-token";
    process.env["DATABASE_URL"] = "canary-address";
    process.env["LC_SEGNO"] = "kept";
    const environment = await environmentOf();
    expect(JSON.stringify(environment)).not.toContain("canary");
    expect(environment).toMatchObject({ PATH: process.env["PATH"], LC_SEGNO: "kept" });
    const own = Object.keys(environment).filter((name) => !name.startsWith("SEGNO_") && !name.startsWith("LC_"));
    expect(own.filter((name) => !INHERITED_VARIABLES.includes(name))).toEqual([]);
  });

  it("holds what the list says, and nothing that is not there", () => {
    const from = { PATH: "/bin", LC_ALL: "C", LC_TIME: "de", LCX: "no", API_TOKEN: "no", npm_config_x: "y" };
    expect({ ...inheritedVariables(INHERITED_VARIABLES, from) }).toEqual({ PATH: "/bin", LC_ALL: "C", LC_TIME: "de" });
    expect({ ...inheritedVariables(["npm_config_*"], from) }).toEqual({ npm_config_x: "y" });
  });

  it("IDEM-4 names the attempt: execution, step, number, token and marker", async () => {
    const environment = await environmentOf();
    expect(environment).toMatchObject({
      SEGNO_EXECUTION: "execution-1",
      SEGNO_STEP: "build",
      SEGNO_ATTEMPT: "2",
      SEGNO_TOKEN: "token-of-the-step",
    });
    expect(environment["SEGNO_MARKER"]?.startsWith(bench.current.prefix)).toBe(true);
  });

  it("holds what the step says: numbers and booleans as text, null removes", async () => {
    const env = { NUMBER: 1.5, YES: true, TEXT: "a\nb=c", EMPTY: "", HOME: null, ["__proto__"]: "own" };
    const environment = await environmentOf({ env });
    expect(environment).toMatchObject({ NUMBER: "1.5", YES: "true", TEXT: "a\nb=c", EMPTY: "" });
    expect(Object.hasOwn(environment, "__proto__")).toBe(true);
    expect(environment).not.toHaveProperty("HOME");
  });

  it("CANCEL-2 keeps its marker whatever the step says: it would not be found again without", async () => {
    for (const value of ["other", null]) {
      const failure = failureIn(await bench.current.exec(["env"], { env: { SEGNO_MARKER: value } }));
      expect(failure).toMatchObject({ class: "permanent", code: "COMMAND_INVALID" });
      expect(failure.message).toBe("`env` sets SEGNO_MARKER, which is set by Segno itself");
    }
  });
});
