// A main-thread agent without an engine, whose attempts own real processes.

import { classifyError } from "@segno/kernel";
import type { StepContext } from "../../src/agents/step-context.ts";
import type { AttemptProcesses } from "../../src/attempts/attempt-processes.ts";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import type { ConsoleCapture } from "../../src/events/console-capture.ts";
import { MainThreadRunner } from "../../src/runners/main-thread-runner.ts";
import type { OwnedProcess, ProcessCommand } from "../../src/runners/process/owned-process.ts";
import type { ProcessFixture, Started } from "./process-fixture.ts";

export class OwnedAgent {
  readonly processes: AttemptProcesses;
  readonly #fixture: ProcessFixture;
  readonly #runner: MainThreadRunner;

  constructor(
    fixture: ProcessFixture,
    processes: AttemptProcesses = fixture.ownedProcesses(),
    capture?: ConsoleCapture,
  ) {
    this.#fixture = fixture;
    this.#runner = new MainThreadRunner(new SystemEnvironment(), { classify: classifyError, capture });
    this.processes = processes;
  }

  get lingering(): number {
    return this.#runner.lingering;
  }

  start(work: (context: StepContext) => unknown, options: { isWanted?: boolean } = {}): Started {
    const agent = { execute: (_: unknown, context: StepContext) => work(context) };
    const attempt = this.#fixture.attempt({ agent, ...options });
    return { attempt, running: this.#runner.start(attempt) };
  }

  /** Starts a script of the shell in the folder of the test. */
  sh(context: StepContext, script: string, command: Partial<ProcessCommand> = {}): OwnedProcess {
    const { folder: cwd } = this.#fixture;
    return this.processes.spawn(context, { argv: ["/bin/sh", "-c", script], cwd, env: {}, ...command });
  }
}

/** The text of a stream up to a match of the pattern. */
export async function said({ stdout }: OwnedProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = "";
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    const match = pattern.exec(text);
    if (match !== null) resolve(match);
  });
  stdout.on("close", () => reject(new Error(`it never said ${pattern}: ${text}`)));
  return promise;
}

/** The pids that a script printed before the line `ready`. */
export async function pidsOf(owned: OwnedProcess): Promise<readonly number[]> {
  const [text] = await said(owned, /^[\d\s]*ready\n/u);
  return [...text.matchAll(/\d+/gu)].map(Number);
}
