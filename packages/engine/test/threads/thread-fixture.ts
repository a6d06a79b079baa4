// A thread runner with modules that a test writes into a temporary folder.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Failure, Outcome } from "@segno/kernel";
import { afterAll, afterEach, expect } from "vitest";
import { SystemEnvironment } from "../../src/clock/system-environment.ts";
import type { AttemptHandle } from "../../src/runners/runner.ts";
import {
  ThreadRunner,
  type ThreadOptions,
  type ThreadRunnerDependencies,
} from "../../src/runners/thread/thread-runner.ts";
import { SampleAttempt, type AttemptSketch } from "./sample-attempt.ts";

export interface Started {
  readonly abort: AttemptHandle["abort"];
  readonly attempt: SampleAttempt;
}

export interface ThreadFixture {
  /** The folder of this test. */
  readonly folder: string;
  /** Errors of threads that had no work. */
  readonly reports: unknown[];
  readonly runner: ThreadRunner;
  /** Call it before the runner is first used. */
  setUp(options: Partial<ThreadOptions & ThreadRunnerDependencies>): void;
  /** Writes a module and returns its path. */
  module(text: string, name?: string): string;
  start(path: string, sketch?: AttemptSketch & { readonly exportName?: string }): Started;
  /** Writes a module with this default export and runs it to its end. */
  run(text: string, sketch?: AttemptSketch): Promise<Outcome>;
}

/** One per test, or one per file if the tests can share threads. */
export function useThreadFixture(scope: "test" | "file" = "test"): ThreadFixture {
  let fixture = new OpenThreadFixture();
  const end = async (): Promise<void> => {
    await fixture.close();
    fixture = new OpenThreadFixture();
  };
  if (scope === "test") afterEach(end);
  else afterAll(end);
  return {
    get folder() {
      return fixture.folder;
    },
    get reports() {
      return fixture.reports;
    },
    get runner() {
      return fixture.runner;
    },
    setUp: (options) => fixture.setUp(options),
    module: (text, name) => fixture.module(text, name),
    start: (path, sketch) => fixture.start(path, sketch),
    run: (text, sketch) => fixture.run(text, sketch),
  };
}

class OpenThreadFixture {
  readonly reports: unknown[] = [];
  readonly #modules = new Map<unknown, { path: string; exportName: string }>();
  #options: Partial<ThreadOptions & ThreadRunnerDependencies> = {};
  #runner: ThreadRunner | undefined;
  #folder: string | undefined;
  #files = 0;

  get folder(): string {
    return (this.#folder ??= mkdtempSync(join(tmpdir(), "segno-threads-")));
  }

  get runner(): ThreadRunner {
    return (this.#runner ??= new ThreadRunner(
      {
        eventLoop: new SystemEnvironment(),
        modules: { resolve: (attempt) => this.#modules.get(attempt)! },
        report: (error) => this.reports.push(error),
        ...this.#options,
      },
      { size: 2, ...this.#options },
    ));
  }

  setUp(options: Partial<ThreadOptions & ThreadRunnerDependencies>): void {
    this.#options = options;
  }

  module(text: string, name: string = `module-${this.#files++}.mjs`): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  start(path: string, { exportName = "default", ...sketch }: AttemptSketch & { exportName?: string } = {}): Started {
    const attempt = new SampleAttempt(sketch);
    this.#modules.set(attempt, { path, exportName });
    const running = this.runner.start(attempt);
    return { attempt, abort: (force, reason) => running.abort(force, reason) };
  }

  run(text: string, sketch?: AttemptSketch): Promise<Outcome> {
    return this.start(this.module(`export default ${text}`), sketch).attempt.outcome;
  }

  async close(): Promise<void> {
    await this.#runner?.close();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function toOutput(outcome: Outcome): unknown {
  expect(outcome).toMatchObject({ kind: "succeeded", output: { kind: "inline" } });
  return (outcome as { readonly output: { readonly json: unknown } }).output.json;
}

export function toFailure(outcome: Outcome): Failure {
  expect(outcome.kind).toBe("failed");
  return (outcome as { readonly failure: Failure }).failure;
}
