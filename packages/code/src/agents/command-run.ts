// One command at work on one task, by the contract of CODE-12.

import { stat } from "node:fs/promises";
import { agentEnvironment, AGENT_INHERITS } from "./agent-environment.ts";
import {
  addUsage,
  largerUsage,
  maskResult,
  readLine,
  readResult,
  type AgentEvent,
  type AgentUsage,
  type ReportedResult,
} from "./agent-event.ts";
import type { AgentReport, AgentRunOptions, AgentSessionRequest } from "./agent-executor.ts";
import { toOutcome, type AgentExit, type AgentOutcome } from "./agent-outcome.ts";
import { startAgent, type AgentProcess } from "./agent-process.ts";
import { AgentWatch } from "./agent-watch.ts";
import { OutputLines } from "./output-lines.ts";
import type { AgentPreset } from "./presets.ts";
import type { ProcessToStart } from "./process-starter.ts";
import { toContextFile, toPrompt } from "./prompt.ts";
import type { SessionFiles } from "./session-files.ts";
import { Transcript } from "./transcript.ts";

export interface CommandToRun {
  readonly request: AgentSessionRequest;
  readonly files: SessionFiles;
  readonly preset: AgentPreset;
  readonly resultGraceMs: number;
}

export async function runCommand(command: CommandToRun, options: AgentRunOptions): Promise<AgentReport> {
  const { request, files } = command;
  if (!(await isFolder(request.workspacePath)))
    return { outcome: { kind: "spawn-error", reason: `${request.workspacePath} is not a folder` }, usage: {} };
  const prompt = toPrompt(request, files);
  await files.prepare(prompt, toContextFile(request));
  const transcript = new Transcript(files.transcript, options.maskText);
  const run = new CommandRun(command, options, transcript);
  try {
    const outcome = await run.execute(prompt);
    return { outcome, usage: run.usage, transcript: files.transcript };
  } finally {
    await transcript.close();
  }
}

const ERROR_LINES_MAX = 10;
const ERROR_CHARS_MAX = 2000;

class CommandRun {
  readonly #command: CommandToRun;
  readonly #options: AgentRunOptions;
  readonly #transcript: Transcript;
  /** The last lines of standard error: they tell why a program ended with an error. */
  readonly #lastErrors: string[] = [];
  #usage: AgentUsage = {};
  #result: ReportedResult | undefined;

  constructor(command: CommandToRun, options: AgentRunOptions, transcript: Transcript) {
    this.#command = command;
    this.#options = options;
    this.#transcript = transcript;
  }

  get usage(): AgentUsage {
    return this.#usage;
  }

  async execute(prompt: string): Promise<AgentOutcome> {
    const toStart = toProcess(this.#command, this.#options.timeoutMs);
    const started = startAgent(this.#options.processes, toStart);
    if (started.kind === "not-started") return { kind: "spawn-error", reason: started.reason };
    started.process.stdin.end(takesPromptFile(this.#command.preset) ? "" : prompt);
    return await this.#follow(started.process);
  }

  async #follow(agent: AgentProcess): Promise<AgentOutcome> {
    const watch = new AgentWatch(this.#options, () => agent.stop());
    this.#readOutput(agent, watch);
    const end = await agent.mainExit();
    watch.close();
    await agent.end();
    return end.kind === "not-started"
      ? { kind: "spawn-error", reason: end.reason }
      : await this.#toOutcome(end.exit, watch);
  }

  #readOutput(agent: AgentProcess, watch: AgentWatch): void {
    const lines = new OutputLines((line) => this.#onLine(line, watch));
    const errors = new OutputLines((line) => this.#onErrorLine(line));
    const [stdout, stderr] = [this.#transcript.writer(), this.#transcript.writer()];
    agent.readStdout({
      write: async (chunk) => {
        watch.hear();
        lines.write(chunk);
        await stdout.write(chunk);
      },
      end: async () => {
        lines.end();
        await stdout.end();
      },
    });
    agent.readStderr({
      write: async (chunk) => {
        watch.hear();
        errors.write(chunk);
        await stderr.write(chunk);
      },
      end: async () => {
        errors.end();
        await stderr.end();
      },
    });
  }

  #onLine(line: string, watch: AgentWatch): void {
    for (const event of readLine(line, this.#command.preset.readLine)) this.#onEvent(event, watch);
  }

  #onErrorLine(line: string): void {
    if (line.trim() === "") return;
    this.#lastErrors.push(line);
    if (this.#lastErrors.length > ERROR_LINES_MAX) this.#lastErrors.shift();
    this.#options.onLine?.(line);
  }

  #onEvent(event: AgentEvent, watch: AgentWatch): void {
    if (event.kind === "message" || event.kind === "progress") this.#options.onLine?.(event.text);
    if (event.kind === "tool") this.#options.onLine?.(event.name);
    if (event.kind === "usage") {
      this.#usage = addUsage(this.#usage, event.usage);
      watch.checkCost(this.#usage);
    }
    if (event.kind !== "result") return;
    this.#result = event.result;
    watch.expectExit(this.#command.resultGraceMs);
  }

  async #toOutcome(exit: AgentExit, watch: AgentWatch): Promise<AgentOutcome> {
    const { files, preset } = this.#command;
    const resultFile = await this.#masked(readResult(await files.readResult()));
    const resultEvent = await this.#masked(this.#result);
    this.#usage = largerUsage(this.#usage, (resultFile ?? resultEvent)?.usage ?? {});
    watch.checkCost(this.#usage);
    const { intervention } = watch;
    const end = { intervention, resultFile, resultEvent, exit, lastingExitCodes: preset.lastingExitCodes };
    return this.#withErrors(toOutcome(end));
  }

  /** An exit code alone does not help the reader. */
  #withErrors(outcome: AgentOutcome): AgentOutcome {
    if (outcome.kind !== "failed" || outcome.result !== undefined || this.#lastErrors.length === 0) return outcome;
    const lines = this.#lastErrors.join("\n").slice(-ERROR_CHARS_MAX);
    const masked = this.#options.maskText?.(lines) ?? lines;
    return { ...outcome, reason: `${outcome.reason}: ${masked}` };
  }

  /** The result with its secrets masked, and with the last message of the agent if it has no summary. */
  async #masked(result: ReportedResult | undefined): Promise<ReportedResult | undefined> {
    if (result === undefined) return undefined;
    const summary = result.summary ?? (await this.#command.files.readLastMessage());
    return maskResult({ ...result, ...(summary === undefined ? {} : { summary }) }, this.#options.maskText);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function takesPromptFile({ argv }: AgentPreset): boolean {
  return argv.some((word) => word.includes("{prompt}"));
}

function toProcess({ request, files, preset }: CommandToRun, timeoutMs: number | undefined): ProcessToStart {
  const places = { prompt: files.prompt, last: files.lastMessage, workspace: request.workspacePath };
  const deadlineMs = timeoutMs === undefined ? undefined : Date.now() + timeoutMs;
  return {
    argv: preset.argv.map((word) =>
      word.replace(/\{(prompt|last|workspace)\}/gu, (_, key: keyof typeof places) => places[key]),
    ),
    cwd: request.workspacePath,
    env: { ...preset.env, ...agentEnvironment(request, files, deadlineMs) },
    inherits: [...AGENT_INHERITS, ...preset.inherits],
  };
}
