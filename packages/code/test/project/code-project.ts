// A repository, a store and an engine that runs code workflows on them, with scripted agents.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine, environmentSecrets, type ExecutionHandle, type StepLogger } from "@segno/engine";
import type { Json } from "@segno/kernel";
import { EXECUTOR_DEFAULTS, type ExecutorConfig } from "../../src/config/executor-config.ts";
import { codeSettings, compileOptions } from "../../src/executor/code-settings.ts";
import { CodeRuntimes } from "../../src/project/code-runtimes.ts";
import { MemoryTaskBackend } from "../../src/tasks/memory-tasks.ts";
import { bindTemplate } from "../../src/template/bound-template.ts";
import { compileTemplate } from "../../src/template/compile-template.ts";
import { loadTemplate } from "../../src/template/load-template.ts";
import { SampleRepository } from "../git/sample-repository.ts";
import { quick } from "../executor/memory-executor.ts";
import { SkippedTime } from "./skipped-time.ts";

export class CodeProject extends SampleRepository {
  engine: Engine | undefined;
  /** It outlives the engine. */
  readonly backend = new MemoryTaskBackend();
  /** The clocks of the engines. */
  readonly time = new SkippedTime();
  #runtimes: CodeRuntimes | undefined;

  /** The number of lines of a file beside the repository; scripts count by it. */
  lines(name: string): number {
    const file = join(this.root, name);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  }

  async openEngine(secrets: Readonly<Record<string, string>> = {}, slots = 10): Promise<Engine> {
    this.engine = await Engine.open({
      file: join(this.root, "segno.db"),
      logger: SILENT,
      limits: { slots },
      secrets: environmentSecrets(secrets),
      environment: this.time.environment(),
    });
    this.#runtimes = new CodeRuntimes(this.engine, {
      taskBackend: this.backend,
      executorId: "test",
      folder: this.root,
    });
    this.#runtimes.register();
    await this.#runtimes.resumeStreams();
    return this.engine;
  }

  async start(
    templateText: string,
    config: ExecutorConfig = quick(EXECUTOR_DEFAULTS),
    repository: string = this.folder,
  ): Promise<ExecutionHandle> {
    const engine = this.engine ?? (await this.openEngine());
    const template = loadTemplate({ text: templateText });
    const input = {
      ...bindTemplate(template, {}),
      baseBranch: "main",
      settings: codeSettings(template, config, repository),
    };
    return await engine.start(compileTemplate(template, compileOptions(config)), input as unknown as Json);
  }

  /**
   * Waits for the end of an execution, and skips the time for which its steps wait: for another attempt, or for the next look
   * at a forge or at the user's folder.
   */
  async finish(handle: ExecutionHandle): Promise<Json | undefined> {
    const result = handle.result();
    const end = result.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([end, sleep(POLL_MS, false)])))
      if ((await handle.status()).steps.some(({ status }) => status === "retrying")) this.time.skip(WAIT_MS);
    return await result;
  }

  async closeEngine(): Promise<void> {
    await this.#runtimes?.settle();
    await this.engine?.close();
    await this.#runtimes?.[Symbol.asyncDispose]();
    this.engine = undefined;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.closeEngine();
    await super[Symbol.asyncDispose]();
  }
}

/** Longer than the first waits of merges and of looks at a forge. */
export const WAIT_MS = 16_000;
const POLL_MS = 20;

const SILENT: StepLogger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => SILENT,
};

function ignore(): void {}
