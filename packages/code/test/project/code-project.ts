// A repository, a store and an engine that runs code workflows on them, with scripted agents.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

export class CodeProject extends SampleRepository {
  engine: Engine | undefined;
  /** It outlives the engine. */
  readonly backend = new MemoryTaskBackend();
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

const SILENT: StepLogger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => SILENT,
};

function ignore(): void {}
