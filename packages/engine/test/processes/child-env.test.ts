import { afterEach, describe, expect, it } from "vitest";
import { INHERITED_ENV_NAMES, inheritedEnv } from "../../src/runners/process/child-env.ts";
import { toFailure, toOutput, useProcessFixture } from "./process-fixture.ts";
import type { FakeOptions } from "./fake-attempt.ts";

const fixture = useProcessFixture();

/** The actual environment variables of a command. */
async function readVariables(options: FakeOptions = {}): Promise<Record<string, string>> {
  const output = toOutput(await fixture.current.exec(["env", "-0"], options)) as { stdout: string };
  const pairs = output.stdout.split("\0").filter((line) => line !== "");
  return Object.fromEntries(pairs.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

describe("the environment variables of a command", () => {
  afterEach(() => {
    delete process.env["SEGNO_TEST_TOKEN"];
    delete process.env["DATABASE_URL"];
    delete process.env["LC_SEGNO"];
  });

  it("comes from an allow-list: credentials of this process never reach a command", async () => {
    process.env["SEGNO_TEST_TOKEN"] = "canary-token";
    process.env["DATABASE_URL"] = "canary-address";
    process.env["LC_SEGNO"] = "kept";
    const variables = await readVariables();
    expect(JSON.stringify(variables)).not.toContain("canary");
    expect(variables).toMatchObject({ PATH: process.env["PATH"], LC_SEGNO: "kept" });
    const own = Object.keys(variables).filter((name) => !name.startsWith("SEGNO_") && !name.startsWith("LC_"));
    expect(own.filter((name) => !INHERITED_ENV_NAMES.includes(name))).toEqual(["TRACEPARENT"]);
  });

  it("contains the listed variables that exist", () => {
    const from = { PATH: "/bin", LC_ALL: "C", LC_TIME: "de", LCX: "no", API_TOKEN: "no", npm_config_x: "y" };
    expect({ ...inheritedEnv(INHERITED_ENV_NAMES, from) }).toEqual({ PATH: "/bin", LC_ALL: "C", LC_TIME: "de" });
    expect({ ...inheritedEnv(["npm_config_*"], from) }).toEqual({ npm_config_x: "y" });
  });

  it("IDEM-4 identifies the attempt: execution, step, number, token and marker", async () => {
    const variables = await readVariables();
    expect(variables).toMatchObject({
      SEGNO_EXECUTION: "execution-1",
      SEGNO_STEP: "build",
      SEGNO_ATTEMPT: "2",
      SEGNO_TOKEN: "token-of-the-step",
    });
    expect(variables["SEGNO_MARKER"]?.startsWith(fixture.current.prefix)).toBe(true);
  });

  it("contains the step's variables: numbers and booleans as text, null removes", async () => {
    const env = { NUMBER: 1.5, YES: true, TEXT: "a\nb=c", EMPTY: "", HOME: null, ["__proto__"]: "own" };
    const variables = await readVariables({ env });
    expect(variables).toMatchObject({ NUMBER: "1.5", YES: "true", TEXT: "a\nb=c", EMPTY: "" });
    expect(Object.hasOwn(variables, "__proto__")).toBe(true);
    expect(variables).not.toHaveProperty("HOME");
  });

  it("CANCEL-2 keeps its marker whatever the step sets, because the process is found by it", async () => {
    for (const value of ["other", null]) {
      const failure = toFailure(await fixture.current.exec(["env"], { env: { SEGNO_MARKER: value } }));
      expect(failure).toMatchObject({ class: "permanent", code: "COMMAND_INVALID" });
      expect(failure.message).toBe("`env` sets SEGNO_MARKER, which Segno sets itself");
    }
  });
});
