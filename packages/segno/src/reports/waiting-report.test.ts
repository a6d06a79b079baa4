import { describe, expect, it } from "vitest";

import { withCommand, withoutProcess } from "./waiting-report.ts";

describe("SCHED-7 a reason without a process", () => {
  it.each([
    [{ kind: "running", attempt: 2 }, "`m/0` (linux, 22) was running, attempt 2, when its process ended"],
    [{ kind: "ready" }, "`m/0` (linux, 22) is ready"],
  ] as const)("has the label of the item: %j", (reason, text) => {
    expect(withoutProcess({ step: "m/0", label: "linux, 22", reason, text: "" })).toMatchObject({ text });
  });
});

describe("FAIL-9 the reason of a parked execution", () => {
  it.each([
    ["no-agent", "`segno work --import FILE` continues it"],
    ["no-secret", "`segno work --secrets FILE` continues it"],
    ["address-refused", "`segno work --allow-private-network` continues it"],
    ["attempts-lost", "`segno resume` tries it again"],
  ] as const)("names the command that helps: %s", (cause, command) => {
    const { text } = withCommand({ step: undefined, reason: { kind: "parked", cause, reason: "why" }, text: "parked" });
    // npm sets the name of the command.
    expect(text.replace("npx ", "")).toBe(`parked; ${command}`);
  });
});
