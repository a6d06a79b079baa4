// A process runner for the tests of one file. After each test no process is left and no error was reported.

import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Failure, Json, Outcome } from "@segno/kernel";
import { afterEach, beforeEach, expect } from "vitest";
import { AttemptProcesses } from "../../src/attempts/attempt-processes.ts";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import { INHERITED_ENV_NAMES } from "../../src/runners/process/child-env.ts";
import { killOrphans, markedProcesses } from "../../src/runners/process/orphans.ts";
import { ProcessRunner } from "../../src/runners/process/process-runner.ts";
import { SharedByTrees, type SharedByTreesOptions } from "../../src/runners/process/shared-by-trees.ts";
import { readStartTime } from "../../src/runners/process/start-time.ts";
import type { ProcessRecords } from "../../src/store/process-records.ts";
import type { AttemptHandle } from "../../src/runners/runner.ts";
import { FakeAttempt, type FakeOptions } from "./fake-attempt.ts";

export interface Started {
  readonly attempt: FakeAttempt;
  readonly running: AttemptHandle;
}

interface FixtureRunnerOptions extends Partial<SharedByTreesOptions> {
  readonly cwd?: string;
  /** Shared with other runners. */
  readonly trees?: SharedByTrees;
}

export class ProcessFixture {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-processes-")));
  /** The prefix of all markers of this test. */
  readonly prefix: string = `${randomUUID()}.`;
  readonly reported: unknown[] = [];
  readonly #report = (error: unknown): void => void this.reported.push(error);
  readonly #closables: { close(): Promise<void> }[] = [];
  #attempts = 0;

  runner({ cwd = this.folder, trees, ...options }: FixtureRunnerOptions = {}): ProcessRunner {
    const eventLoop = new SystemEnvironment();
    const runner = new ProcessRunner({ eventLoop, cwd, trees: trees ?? this.trees(options) });
    this.#closables.push(runner);
    return runner;
  }

  trees(options: Partial<SharedByTreesOptions> = {}): SharedByTrees {
    return new SharedByTrees({ graceMs: 20, report: this.#report, ...options });
  }

  /** Kills the processes with markers of this test. */
  killOrphans(records?: ProcessRecords): Promise<number> {
    return killOrphans({ records, prefix: this.prefix, report: this.#report });
  }

  /** The processes that main-thread agents own. */
  ownedProcesses(trees: SharedByTrees = this.trees()): AttemptProcesses {
    const storeId = this.prefix.slice(0, -1);
    const processes = new AttemptProcesses({
      storeId,
      isShared: true,
      trees,
      inheritedNames: INHERITED_ENV_NAMES,
      maskAlways: () => undefined,
    });
    this.#closables.push(processes);
    return processes;
  }

  attempt(options: FakeOptions): FakeAttempt {
    return new FakeAttempt(`${this.prefix}${this.#attempts++}`, options);
  }

  start(options: FakeOptions, runner: ProcessRunner = this.runner()): Started {
    const attempt = this.attempt(options);
    return { attempt, running: runner.start(attempt) };
  }

  startScript(script: string, options: FakeOptions = {}, runner?: ProcessRunner): Started {
    return this.start({ action: { kind: "run", script }, ...options }, runner);
  }

  /** Runs the attempt until it has exited. */
  async run(script: string, options: FakeOptions = {}): Promise<Outcome> {
    return this.#untilExited(this.startScript(script, options));
  }

  async exec(argv: readonly Json[], options: FakeOptions = {}): Promise<Outcome> {
    return this.#untilExited(this.start({ action: { kind: "exec", argv }, ...options }));
  }

  async #untilExited({ attempt }: Started): Promise<Outcome> {
    const outcome = await attempt.ended;
    await attempt.isSettled;
    return outcome;
  }

  /** Writes a file, executable by default. */
  file(name: string, text: string, mode: number = 0o755): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  async close(): Promise<void> {
    for (const closable of this.#closables) await closable.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function useProcessFixture(): { current: ProcessFixture } {
  const holder: { current: ProcessFixture } = { current: undefined as never };
  beforeEach(() => {
    holder.current = new ProcessFixture();
  });
  afterEach(async () => {
    await holder.current.close();
    expect(await markedProcesses(holder.current.prefix)).toEqual([]);
    expect(holder.current.reported).toEqual([]);
  });
  return holder;
}

/** The output and exit of a command that succeeded. */
export function toOutput(outcome: Outcome): Json {
  if (outcome.kind !== "succeeded" || outcome.output.kind !== "inline")
    throw new Error(`it did not succeed: ${JSON.stringify(outcome)}`);
  return outcome.output.json;
}

export function toFailure(outcome: Outcome): Failure {
  if (outcome.kind !== "failed") throw new Error(`it did not fail: ${JSON.stringify(outcome)}`);
  return outcome.failure;
}

export async function isAlive(pid: number): Promise<boolean> {
  return (await readStartTime(pid)) !== "";
}
