import { describe, expect, it } from "vitest";
import { ExitingAttempts } from "./exiting-attempts.ts";
import type { StepAttempt } from "./step-attempt.ts";

interface Overrides {
  readonly kind?: "run" | "exec" | "http" | "agent";
  readonly mainThreadAgent?: object;
  readonly handle?: { readonly processesExited?: Promise<void> };
}

/** An attempt of a step such as `a1`: step 1 of execution `a`. */
function attemptOf(name: string, { kind = "run", mainThreadAgent, handle = {} }: Overrides = {}): StepAttempt {
  const [execution, stepIndex] = [name[0], Number(name.slice(1))];
  const attempt = { execution, stepIndex, action: { kind }, mainThreadAgent, handle, hasExited: false };
  return attempt as unknown as StepAttempt;
}

/** The attempts among `names` that do not have to wait. */
function startable(exiting: ExitingAttempts, ...names: readonly string[]): readonly string[] {
  return names.filter((name) => !exiting.waitFor(attemptOf(name), () => undefined));
}

describe("attempts that have not exited", () => {
  it("CANCEL-2 EX1 hold back the next attempt of their step when they have ended", () => {
    const exiting = new ExitingAttempts();
    exiting.add(attemptOf("a1"));
    expect(startable(exiting, "a1", "a2", "b1")).toEqual(["a2", "b1"]);
  });

  it("CANCEL-2 EX2 hold back their execution, and no other, if they are commands that were stopped by force", () => {
    for (const kind of ["run", "exec"] as const) {
      const exiting = new ExitingAttempts();
      exiting.addForceStopped(attemptOf("a1", { kind }));
      expect(startable(exiting, "a1", "a2", "b1")).toEqual(["b1"]);
    }
  });

  it("CANCEL-2 EX2 hold back only their step if they are requests or on threads", () => {
    for (const kind of ["http", "agent"] as const) {
      const exiting = new ExitingAttempts();
      exiting.addForceStopped(attemptOf("a1", { kind }));
      expect(startable(exiting, "a1", "a2")).toEqual(["a2"]);
    }
  });

  it("CANCEL-2 EX3 hold back nothing if they are functions of this process", () => {
    const exiting = new ExitingAttempts();
    exiting.addForceStopped(attemptOf("a1", { kind: "agent", mainThreadAgent: {} }));
    expect(startable(exiting, "a1", "a2")).toEqual(["a1", "a2"]);
  });
});

describe("functions of this process that own processes", () => {
  it("CANCEL-2 EX2 hold back their execution until their processes have exited, although they have not", async () => {
    const exiting = new ExitingAttempts();
    const { promise: processesExited, resolve } = Promise.withResolvers<void>();
    exiting.addForceStopped(attemptOf("a1", { kind: "agent", mainThreadAgent: {}, handle: { processesExited } }));
    const started: string[] = [];
    expect(exiting.waitFor(attemptOf("a2"), () => started.push("a2"))).toBe(true);
    expect(startable(exiting, "a1", "b1")).toEqual(["b1"]);
    resolve();
    await processesExited;
    expect([started, exiting.isEmpty, startable(exiting, "a1", "a3")]).toEqual([["a2"], true, ["a1", "a3"]]);
  });
});

describe("attempts that wait", () => {
  it("CANCEL-2 EX2 start in their order when the last command that they wait for has exited", () => {
    const exiting = new ExitingAttempts();
    const commands = [attemptOf("a1"), attemptOf("a2")];
    const started: string[] = [];
    for (const command of commands) exiting.addForceStopped(command);
    const start = (name: string): void => {
      if (!exiting.waitFor(attemptOf(name), () => start(name))) started.push(name);
    };
    for (const name of ["a3", "a1", "a4"]) start(name);
    exiting.onExited(commands[0]!);
    expect(started).toEqual([]);
    exiting.onExited(commands[1]!);
    expect(started).toEqual(["a3", "a1", "a4"]);
    expect(exiting.isEmpty).toBe(true);
  });
});
