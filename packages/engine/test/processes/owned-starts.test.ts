// How an attempt of a main-thread agent starts processes that it owns.

import { describe, expect, it } from "vitest";
import { AttemptProcesses } from "../../src/attempts/attempt-processes.ts";
import type { StepContext } from "../../src/agents/step-context.ts";
import type { OwnedProcess } from "../../src/runners/process/owned-process.ts";
import { spawnError } from "../../src/runners/process/spawn-failure.ts";
import { OwnedAgent, said } from "./owned-agent.ts";
import { toOutput, useProcessFixture } from "./process-fixture.ts";

const fixture = useProcessFixture();

const forever = (): Promise<never> => new Promise(() => undefined);

describe("a process that an agent cannot start", () => {
  /** The code of the rejection, and whether everything else settled. */
  async function rejection(start: (agent: OwnedAgent, context: StepContext) => OwnedProcess): Promise<unknown> {
    const agent = new OwnedAgent(fixture.current);
    const { attempt } = agent.start(async (context) => {
      const process = start(agent, context);
      process.stdin.write("nobody reads this");
      for await (const chunk of process.stdout) throw new Error(`it wrote ${String(chunk)}`);
      await process.treeExited;
      return process.mainExit.catch(({ name, code }: Error & { code: string }) => `${name} ${code} ${process.pid}`);
    });
    return toOutput(await attempt.ended);
  }

  it.each([
    ["a program that does not exist", "COMMAND_NOT_FOUND", { argv: ["no-such-program"] }],
    ["a folder as program", "COMMAND_NOT_EXECUTABLE", { argv: ["/"] }],
    ["a missing working directory", "COMMAND_FOLDER_MISSING", { cwd: "/no/such/folder" }],
    ["a working directory that is not text", "COMMAND_INVALID", { cwd: 7 as never }],
    ["no program", "COMMAND_INVALID", { argv: [] }],
    ["a program that is not a list", "COMMAND_INVALID", { argv: "sh" as never }],
    ["a NUL character", "COMMAND_INVALID", { argv: ["sh", "a\0b"] }],
    ["arguments that are too long", "COMMAND_INVALID", { argv: ["sh", "x".repeat(4_000_000)] }],
    ["a marker", "COMMAND_INVALID", { env: { SEGNO_MARKER: "other" } }],
    ["no variables", "COMMAND_INVALID", { env: null as never }],
    ["inherited names that are not a list", "COMMAND_INVALID", { inherits: "PATH" as never }],
  ])("FAIL-1 has %s: %s", async (_, code, command) => {
    expect(await rejection((agent, context) => agent.sh(context, "true", command))).toBe(
      `SegnoError ${code} undefined`,
    );
  });

  it("FAIL-1 PROCESS_NOT_STARTED rejects with a code of its own if the system is short of a resource, with the secrets masked", () => {
    const error = Object.assign(new Error("spawn tool EAGAIN"), { code: "EAGAIN" });
    const { folder: cwd } = fixture.current;
    const maskText = (text: string): string => text.replace("tool", "***");
    expect(spawnError({ error, file: "tool", cwd, maskText })).toMatchObject({
      code: "PROCESS_NOT_STARTED",
      message: "the system did not start the process: Error: spawn *** EAGAIN",
      cause: error,
    });
  });

  it("harms nothing if the agent ignores it", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { attempt } = agent.start((context) => void agent.sh(context, "true", { argv: ["no-such-program"] }));
    expect(toOutput(await attempt.ended)).toBe(null);
  });
});

describe("the pipes of a process that an agent owns", () => {
  it("do not fail the engine when the process does not read", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { attempt } = agent.start(async (context) => {
      const process = agent.sh(context, "exec 0<&-; echo ready; while [ ! -e go ]; do sleep 0.01; done");
      await said(process, /ready/u);
      const error = await new Promise((resolve) => process.stdin.write("x".repeat(1_000_000), resolve));
      fixture.current.file("go", "");
      await process.treeExited;
      process.stdin.write("more");
      return (error as NodeJS.ErrnoException).code ?? null;
    });
    expect(toOutput(await attempt.ended)).toMatch(/^(?:EPIPE|ECONNRESET)$/u);
  });
});

describe("the environment variables of a process that an agent owns", () => {
  async function readVariables(inherits: { inherits?: readonly string[] }): Promise<Record<string, string>> {
    const agent = new OwnedAgent(fixture.current);
    const { attempt } = agent.start(async (context) => {
      const process = agent.sh(context, "", { argv: ["/usr/bin/env"], env: { OWN: "value" }, ...inherits });
      let text = "";
      for await (const chunk of process.stdout) text += String(chunk);
      return text;
    });
    const lines = (toOutput(await attempt.ended) as string).split("\n").filter((line) => line !== "");
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  }

  it("are its own, those that identify the attempt and the inherited ones of commands", async () => {
    const variables = await readVariables({});
    expect(variables).toMatchObject({ OWN: "value", PATH: process.env["PATH"], SEGNO_EXECUTION: "execution-1" });
    expect(variables["SEGNO_MARKER"]).toBe(`${fixture.current.prefix}0.1`);
  });

  it("include only the named ones if the agent names some", async () => {
    const named = Object.keys(await readVariables({ inherits: ["HOME"] }));
    expect(named.filter((name) => !name.startsWith("SEGNO_")).toSorted()).toEqual(["HOME", "OWN"]);
  });
});

describe("a context", () => {
  const refused = expect.objectContaining({ name: "SegnoError", code: "ATTEMPT_NOT_RUNNING" });

  /** The error of `spawn`, and of `newStreamMasker`. */
  function errors(agent: OwnedAgent, context: StepContext): readonly unknown[] {
    return [() => agent.sh(context, "true"), () => agent.processes.newStreamMasker(context)].map(errorOf);
  }

  function errorOf(call: () => unknown): unknown {
    try {
      return call();
    } catch (error) {
      return error;
    }
  }

  it("LEASE-2 owns no process after its attempt has ended, or was stopped by force", async () => {
    const agent = new OwnedAgent(fixture.current);
    const contexts: StepContext[] = [];
    await agent.start((context) => void contexts.push(context)).attempt.ended;
    const started = Promise.withResolvers<void>();
    const { running } = agent.start((context) => (contexts.push(context), started.resolve(), forever()));
    await started.promise;
    running.abort(true, "enough");
    expect(contexts.map((context) => errors(agent, context))).toEqual([
      [refused, refused],
      [refused, refused],
    ]);
  });

  it("is refused if it is not that of an attempt on the main thread of this engine", async () => {
    const agent = new OwnedAgent(fixture.current);
    expect(errors(agent, { signal: new AbortController().signal } as StepContext)).toEqual([refused, refused]);
    const other = {
      storeId: "other",
      isShared: true,
      trees: fixture.current.trees(),
      inheritedNames: [],
      maskAlways: () => undefined,
    };
    const elsewhere = new OwnedAgent(fixture.current, new AttemptProcesses(other));
    const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
    await agent.start((context) => resolve(errors(elsewhere, context))).attempt.ended;
    expect(await promise).toEqual([refused, refused]);
  });

  it("CANCEL-1 starts no process after its signal has fired", async () => {
    const agent = new OwnedAgent(fixture.current);
    const { attempt, running } = agent.start(async (context) => {
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      return (errorOf(() => agent.sh(context, "true")) as Error).name;
    });
    await new Promise(setImmediate);
    running.abort(false, "enough");
    expect(toOutput(await attempt.ended)).toBe("AbortError");
  });
});
