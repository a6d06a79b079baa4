// A folder with a journal, and the engines that a test opens on it one after the other. All parts are real. After each
// test, no process is left and no error was reported unexpectedly.

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadContract } from "@segno/contract";
import type { Definition, Json } from "@segno/kernel";
import { afterEach, beforeEach, expect } from "vitest";
import { Engine, type EngineOptions, type ExecutionHandle } from "../../src/index.ts";
import { recordedLogger, type RecordedLogger } from "../../src/testing/recorded-logger.ts";
import { markedProcesses } from "../../src/runners/process/orphans.ts";
import { readStartTime } from "../../src/runners/process/start-time.ts";
import { PATIENCE_MS } from "../eventually.ts";

export class RunningFixture {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), "segno-running-")));
  readonly file: string = join(this.folder, "journal.db");
  /** The reported errors; a test removes the ones that it expects. */
  readonly faults: unknown[] = [];
  readonly logger: RecordedLogger = recordedLogger();
  readonly #engines: Engine[] = [];

  async open(options: EngineOptions = {}): Promise<Engine> {
    const engine = await Engine.open({
      file: this.file,
      durability: "relaxed",
      cwd: this.folder,
      logger: this.logger,
      // A summary at the end of a minute, or on close, repeats earlier reports.
      onFault: (error, _, suppressed) => void (suppressed === 0 && this.faults.push(error)),
      ...options,
    });
    this.#engines.push(engine);
    return engine;
  }

  /** Starts a YAML contract on an engine of its own. */
  async start(yaml: string, options: EngineOptions = {}, input: Json = null): Promise<ExecutionHandle> {
    return (await this.open(options)).start(contract(yaml), input);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** Empty if the file does not exist yet. */
  text(name: string): string {
    return this.has(name) ? readFileSync(this.path(name), "utf8") : "";
  }

  lines(name: string): readonly string[] {
    return this.text(name).split("\n").slice(0, -1);
  }

  /** The numbers that commands wrote, whole lines only. */
  numbers(name: string): readonly number[] {
    return this.lines(name).map(Number);
  }

  /** Resolves when the file has this many whole lines. */
  async wrote(name: string, count: number = 1): Promise<void> {
    await pollUntil(() => this.lines(name).length >= count, `${count} lines in ${name}`);
  }

  /** The running processes of this journal, by their markers. */
  async running(): Promise<readonly number[]> {
    const place = createHash("sha256").update(this.file).digest("hex").slice(0, 16);
    return markedProcesses(`${place}.`);
  }

  async closeEngines(): Promise<void> {
    for (const engine of this.#engines.splice(0)) await engine.close();
  }

  async close(): Promise<void> {
    await this.closeEngines();
    const left = await this.running();
    rmSync(this.folder, { recursive: true, force: true });
    expect(left).toEqual([]);
    expect(this.faults).toEqual([]);
  }
}

/** Creates a fixture for each test of a file. */
export function useFixture(): { current: RunningFixture } {
  const holder: { current: RunningFixture } = { current: undefined as never };
  beforeEach(() => {
    holder.current = new RunningFixture();
  });
  afterEach(() => holder.current.close());
  return holder;
}

export function contract(yaml: string): Definition {
  return loadContract(yaml);
}

/** Polls, because real processes need real time; a timeout says what was expected. */
const POLL_MS = 5;

export async function pollUntil(look: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; !(await look());) {
    if (performance.now() > deadline) throw new Error(`it never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The status of each step, by name. */
export async function statuses(handle: ExecutionHandle<unknown>): Promise<Readonly<Record<string, string>>> {
  const { steps } = await handle.status();
  return Object.fromEntries(steps.map(({ name, status }) => [name, status]));
}

export async function findStep(handle: ExecutionHandle<unknown>, step: string) {
  return (await handle.status()).steps.find(({ name }) => name === step)!;
}

/** Resolves when the step has this status. */
export async function reaches(handle: ExecutionHandle<unknown>, step: string, status: string): Promise<void> {
  await pollUntil(async () => (await findStep(handle, step)).status === status, `\`${step}\` is ${status}`);
}

export async function isAlive(pid: number): Promise<boolean> {
  return (await readStartTime(pid)) !== "";
}

/** The final state, whichever it is. */
export async function ending(handle: ExecutionHandle<unknown>): Promise<string> {
  await handle.result().catch(() => undefined);
  return (await handle.status()).status;
}
