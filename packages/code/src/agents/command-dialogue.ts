// The dialogue with a command, by the contract of CODE-12: the prompt on its standard input, events on its standard output.

import { addUsage, readLine, type AgentEvent, type AgentUsage, type ReportedResult } from "./agent-event.ts";
import type { AgentRunOptions } from "./agent-executor.ts";
import type { AgentProcess, AgentProcessEnd } from "./agent-process.ts";
import type { AgentAnswer, AgentDialogue } from "./agent-run.ts";
import type { AgentWatch } from "./agent-watch.ts";
import { OutputLines } from "./output-lines.ts";
import type { AgentPreset } from "./presets.ts";
import type { Transcript } from "./transcript.ts";

export interface CommandDialogueOptions {
  readonly preset: AgentPreset;
  readonly resultGraceMs: number;
  readonly onLine: AgentRunOptions["onLine"];
}

export class CommandDialogue implements AgentDialogue {
  readonly #agent: AgentProcess;
  readonly #transcript: Transcript;
  readonly #options: CommandDialogueOptions;
  #usage: AgentUsage = {};
  #result: ReportedResult | undefined;

  constructor(agent: AgentProcess, transcript: Transcript, options: CommandDialogueOptions) {
    this.#agent = agent;
    this.#transcript = transcript;
    this.#options = options;
  }

  get usage(): AgentUsage {
    return this.#usage;
  }

  async talk(prompt: string, watch: AgentWatch): Promise<AgentProcessEnd> {
    this.#readStdout(watch);
    this.#agent.stdin.end(takesPromptFile(this.#options.preset) ? "" : prompt);
    return await this.#agent.mainExit();
  }

  cancel(): void {
    this.#agent.stop();
  }

  answer(): AgentAnswer {
    return { result: this.#result, isExplainedByErrors: true };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #readStdout(watch: AgentWatch): void {
    const lines = new OutputLines((line) => this.#onLine(line, watch));
    const writer = this.#transcript.writer();
    this.#agent.readStdout({
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
    for (const event of readLine(line, this.#options.preset.readLine)) this.#onEvent(event, watch);
  }

  #onEvent(event: AgentEvent, watch: AgentWatch): void {
    const { onLine, resultGraceMs } = this.#options;
    if (event.kind === "message" || event.kind === "progress") onLine?.(event.text);
    if (event.kind === "tool") onLine?.(event.name);
    if (event.kind === "usage") {
      this.#usage = addUsage(this.#usage, event.usage);
      watch.checkCost(this.#usage);
    }
    if (event.kind !== "result") return;
    this.#result = event.result;
    watch.expectExit(resultGraceMs);
  }
}

function takesPromptFile({ argv }: AgentPreset): boolean {
  return argv.some((word) => word.includes("{prompt}"));
}
