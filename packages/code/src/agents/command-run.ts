// One command at work on one task, by the contract of CODE-12.

import {
  addUsage,
  largerUsage,
  readLine,
  type AgentEvent,
  type AgentUsage,
  type ReportedResult,
} from "./agent-event.ts";
import type { AgentReport, AgentRunOptions } from "./agent-executor.ts";
import { toOutcome, type AgentExit, type AgentOutcome } from "./agent-outcome.ts";
import { startAgent, type AgentProcess } from "./agent-process.ts";
import { keptResult, readResultFile, runAgent, toProcess, type AgentToRun, type AgentWork } from "./agent-run.ts";
import { AgentWatch } from "./agent-watch.ts";
import { ErrorOutput } from "./error-output.ts";
import { OutputLines } from "./output-lines.ts";
import type { AgentPreset } from "./presets.ts";
import { isRateLimit, retryAfter } from "./rate-limit.ts";
import type { Transcript } from "./transcript.ts";

export function runCommand(agent: AgentToRun, options: AgentRunOptions, resultGraceMs: number): Promise<AgentReport> {
  return runAgent(agent, options, (transcript) => new CommandRun(agent, options, { transcript, resultGraceMs }));
}

const LINES_MAX = 50;
const LINE_CHARS_MAX = 2000;

interface CommandRunParts {
  readonly transcript: Transcript;
  readonly resultGraceMs: number;
}

class CommandRun implements AgentWork {
  readonly #agent: AgentToRun;
  readonly #options: AgentRunOptions;
  readonly #parts: CommandRunParts;
  #usage: AgentUsage = {};
  #result: ReportedResult | undefined;
  /** The last lines of text, if the preset reads them. */
  readonly #last: string[] = [];

  constructor(agent: AgentToRun, options: AgentRunOptions, parts: CommandRunParts) {
    this.#agent = agent;
    this.#options = options;
    this.#parts = parts;
  }

  get usage(): AgentUsage {
    return this.#usage;
  }

  async execute(prompt: string): Promise<AgentOutcome> {
    const started = startAgent(this.#options.processes, toProcess(this.#agent, this.#options.timeoutMs));
    if (started.kind === "not-started") return { kind: "spawn-error", reason: started.reason };
    started.process.stdin.end(takesPromptFile(this.#agent.preset) ? "" : prompt);
    return await this.#follow(started.process);
  }

  async #follow(agent: AgentProcess): Promise<AgentOutcome> {
    using watch = new AgentWatch(this.#options, () => agent.stop());
    const errors = new ErrorOutput(this.#parts.transcript, watch, this.#options);
    this.#readStdout(agent, watch);
    agent.readStderr(errors);
    const end = await agent.mainExit();
    watch.close();
    await agent.end();
    if (end.kind === "not-started") return { kind: "spawn-error", reason: end.reason };
    const outcome = await this.#toOutcome(end.exit, watch);
    return watch.intervention === undefined ? this.#explain(outcome, errors) : outcome;
  }

  #explain(outcome: AgentOutcome, errors: ErrorOutput): AgentOutcome {
    const explained = errors.explain(outcome);
    if (explained === outcome || explained.kind !== "failed" || this.#agent.preset.hasErrorsOnStderr !== true)
      return explained;
    return isRateLimit(explained.reason) ? { kind: "rate-limited", ...retryAfter(explained.reason) } : explained;
  }

  #readStdout(agent: AgentProcess, watch: AgentWatch): void {
    const lines = new OutputLines((line) => this.#onLine(line, watch));
    const writer = this.#parts.transcript.writer();
    agent.readStdout({
      write: async (chunk) => {
        watch.hear();
        lines.write(chunk);
        await writer.write(chunk);
      },
      end: async () => {
        lines.end();
        await writer.end();
      },
    });
  }

  #onLine(line: string, watch: AgentWatch): void {
    for (const event of readLine(line, this.#agent.preset.readLine)) this.#onEvent(event, watch);
  }

  #onEvent(event: AgentEvent, watch: AgentWatch): void {
    if (event.kind === "message" || event.kind === "progress") this.#options.onLine?.(event.text);
    if (event.kind === "message") this.#keep(event.text);
    if (event.kind === "tool") this.#options.onLine?.(event.name);
    if (event.kind === "usage") {
      this.#usage = addUsage(this.#usage, event.usage);
      watch.checkCost(this.#usage);
    }
    if (event.kind !== "result") return;
    this.#result = event.result;
    watch.expectExit(this.#parts.resultGraceMs);
  }

  #keep(line: string): void {
    if (this.#agent.preset.readEnd === undefined) return;
    this.#last.push(line.slice(0, LINE_CHARS_MAX));
    if (this.#last.length > LINES_MAX) this.#last.shift();
  }

  async #toOutcome(exit: AgentExit, watch: AgentWatch): Promise<AgentOutcome> {
    const { files, preset } = this.#agent;
    const resultFile = await readResultFile(files, this.#options);
    const reported = this.#result ?? preset.readEnd?.(this.#last);
    const resultEvent = reported && (await keptResult(reported, files, this.#options));
    this.#usage = largerUsage(this.#usage, (resultFile ?? resultEvent)?.usage ?? {});
    watch.checkCost(this.#usage);
    const { intervention } = watch;
    return toOutcome({ intervention, resultFile, resultEvent, exit, lastingExitCodes: preset.lastingExitCodes });
  }
}

function takesPromptFile({ argv }: AgentPreset): boolean {
  return argv.some((word) => word.includes("{prompt}"));
}
