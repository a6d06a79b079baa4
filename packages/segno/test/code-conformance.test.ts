// `segno code conformance` on commands that keep to the contract of agents, and on one that does not.

import { describe, expect, it } from "vitest";

import { runSegno } from "./run-segno.ts";

const GOOD = "grep -o 'word-[0-9a-f]*' | head -1 > segno-conformance.txt; echo done";

describe("segno code conformance", () => {
  it("CODE-12 passes a command that keeps to the contract", async () => {
    const run = await runSegno(["code", "conformance", "--", "sh", "-c", GOOD]);
    expect(run.stdout).toMatch(/^ok {6}ends on SIGTERM/mu);
    expect(run.stdout).toContain("10 checks: all passed");
    expect(run.exitCode).toBe(0);
  });

  it("CODE-12 names what a command does wrong, also as JSON, and exits with 1", async () => {
    const run = await runSegno(["code", "conformance", "--json", "--", "sh", "-c", `${GOOD}; exit 3`]);
    const { ok, checks } = JSON.parse(run.stdout) as { ok: boolean; checks: { name: string; passed: boolean }[] };
    expect(ok).toBe(false);
    expect(checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(["exits with 0"]);
    expect(run.exitCode).toBe(1);
  });

  it("CODE-12 says that a program does not exist", async () => {
    const run = await runSegno(["code", "conformance", "--", "no-such-program"]);
    expect(run.stdout).toMatch(/^failed {2}starts .*no-such-program/mu);
    expect(run.exitCode).toBe(1);
  });

  it("CODE-12 needs a command", async () => {
    expect(await runSegno(["code", "conformance"])).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
