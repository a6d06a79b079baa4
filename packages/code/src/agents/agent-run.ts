// One agent at work on one task, by whichever protocol it is spoken to: the files of the session, the transcript, the
// process with its limits, and the outcome. A dialogue is the part that depends on the protocol (`command-dialogue.ts`,
// `acp-dialogue.ts`).

import type { ProcessCommand } from "@segno/engine";
import { isFolder } from "../git/is-folder.ts";
import { agentEnvironment, AGENT_INHERITS } from "./agent-environment.ts";
import { largerUsage, maskResult, readResult, type AgentUsage, type ReportedResult } from "./agent-event.ts";
import type { AgentReport, AgentRunOptions, AgentSessionRequest } from "./agent-executor.ts";
import { cutReason, toOutcome, type AgentExit, type AgentOutcome } from "./agent-outcome.ts";
import { startAgent, type AgentProcess, type AgentProcessEnd } from "./agent-process.ts";
import { AgentWatch } from "./agent-watch.ts";
import { ErrorOutput } from "./error-output.ts";
import type { AgentPreset } from "./presets.ts";
import { isRateLimit, retryAfter } from "./rate-limit.ts";
import { toContextFile, toPrompt } from "./prompt.ts";
import type { SessionFiles } from "./session-files.ts";
import { Transcript } from "./transcript.ts";

export interface AgentToRun {
  readonly request: AgentSessionRequest;
  readonly files: SessionFiles;
  readonly preset: AgentPreset;
}

/** The part of a run that depends on how the agent is spoken to. */
export interface AgentDialogue extends AsyncDisposable {
  /** The usage that the agent has reported so far. */
  readonly usage: AgentUsage;
  /** Gives the agent its task. Resolves when its main process has exited. */
  talk(prompt: string, watch: AgentWatch): Promise<AgentProcessEnd>;
  /** The agent has to end, because of a limit or because the attempt is cancelled. May be called before `talk`. */
  cancel(): void;
  /** The statement of the agent about its work, if it has exited by itself. */
  answer(exit: AgentExit): AgentAnswer;
}

export interface AgentAnswer {
  readonly result?: ReportedResult | undefined;
  /** Counts if there is no result file; without it, the result and the exit code decide. */
  readonly outcome?: AgentOutcome | undefined;
  /** Whether the standard error tells why the agent failed. */
  readonly isExplainedByErrors: boolean;
}

export type NewDialogue = (agent: AgentProcess, transcript: Transcript) => AgentDialogue;

/** Runs an agent until nothing of it runs any more. */
export async function runAgent(
  agent: AgentToRun,
  options: AgentRunOptions,
  newDialogue: NewDialogue,
): Promise<AgentReport> {
  const { request, files } = agent;
  if (!(await isFolder(request.workspacePath))) return notStarted(`${request.workspacePath} is not a folder`);
  const prompt = toPrompt(request, files);
  await files.prepare(prompt, toContextFile(request));
  const transcript = new Transcript(files.transcript, options.maskText);
  try {
    const report = await new AgentRun(agent, options, transcript).execute(prompt, newDialogue);
    return { ...report, transcript: files.transcript };
  } finally {
    await transcript.close();
  }
}

class AgentRun {
  readonly #agent: AgentToRun;
  readonly #options: AgentRunOptions;
  readonly #transcript: Transcript;

  constructor(agent: AgentToRun, options: AgentRunOptions, transcript: Transcript) {
    this.#agent = agent;
    this.#options = options;
    this.#transcript = transcript;
  }

  async execute(prompt: string, newDialogue: NewDialogue): Promise<AgentReport> {
    const started = startAgent(this.#options.processes, toProcess(this.#agent, this.#options.timeoutMs));
    if (started.kind === "not-started") return notStarted(started.reason);
    const { process } = started;
    await using dialogue = newDialogue(process, this.#transcript);
    using watch = new AgentWatch(this.#options, () => dialogue.cancel());
    const errors = new ErrorOutput(this.#transcript, watch, this.#options);
    process.readStderr(errors);
    try {
      const end = await dialogue.talk(prompt, watch);
      watch.close();
      await process.end();
      return end.kind === "not-started"
        ? notStarted(end.reason)
        : await this.#conclude(end.exit, { dialogue, watch, errors });
    } finally {
      await process.end();
    }
  }

  async #conclude(exit: AgentExit, { dialogue, watch, errors }: RunParts): Promise<AgentReport> {
    const { files, preset } = this.#agent;
    const resultFile = await readResultFile(files, this.#options);
    const answer = dialogue.answer(exit);
    const resultEvent = answer.result && (await keptResult(answer.result, files, this.#options));
    const usage = largerUsage(dialogue.usage, (resultFile ?? resultEvent)?.usage ?? {});
    watch.checkCost(usage);
    const { intervention } = watch;
    if (intervention !== undefined) return { outcome: intervention, usage };
    const own = resultFile === undefined ? answer.outcome : undefined;
    const { lastingExitCodes } = preset;
    const outcome = own ?? toOutcome({ resultFile, resultEvent, exit, lastingExitCodes });
    const explained = answer.isExplainedByErrors ? this.#explain(outcome, errors) : outcome;
    return { outcome: cutReason(explained, this.#options.maskText), usage };
  }

  #explain(outcome: AgentOutcome, errors: ErrorOutput): AgentOutcome {
    const explained = errors.explain(outcome);
    if (explained === outcome || explained.kind !== "failed" || this.#agent.preset.hasErrorsOnStderr !== true)
      return explained;
    return isRateLimit(explained.reason) ? { kind: "rate-limited", ...retryAfter(explained.reason) } : explained;
  }
}

interface RunParts {
  readonly dialogue: AgentDialogue;
  readonly watch: AgentWatch;
  readonly errors: ErrorOutput;
}

function notStarted(reason: string): AgentReport {
  return { outcome: { kind: "spawn-error", reason }, usage: {} };
}

function toProcess({ request, files, preset }: AgentToRun, timeoutMs: number | undefined): ProcessCommand {
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

/** The result file; undefined if there is none or if it is not valid. */
async function readResultFile(files: SessionFiles, options: AgentRunOptions): Promise<ReportedResult | undefined> {
  const result = readResult(await files.readResult());
  return result && (await keptResult(result, files, options));
}

/** The result with its secrets masked, and with the last message of the agent if it has no summary. */
async function keptResult(
  result: ReportedResult,
  files: SessionFiles,
  { maskText }: AgentRunOptions,
): Promise<ReportedResult> {
  const summary = result.summary ?? (await files.readLastMessage());
  return maskResult({ ...result, ...(summary === undefined ? {} : { summary }) }, maskText);
}
