// The parts of a run that all agents with a process have in common: the files of the session, the transcript, the process
// and the result file.

import { stat } from "node:fs/promises";
import { agentEnvironment, AGENT_INHERITS } from "./agent-environment.ts";
import { maskResult, readResult, type AgentUsage, type ReportedResult } from "./agent-event.ts";
import type { AgentReport, AgentRunOptions, AgentSessionRequest } from "./agent-executor.ts";
import type { AgentOutcome } from "./agent-outcome.ts";
import type { AgentPreset } from "./presets.ts";
import type { ProcessToStart } from "./process-starter.ts";
import { toContextFile, toPrompt } from "./prompt.ts";
import type { SessionFiles } from "./session-files.ts";
import { Transcript } from "./transcript.ts";

export interface AgentToRun {
  readonly request: AgentSessionRequest;
  readonly files: SessionFiles;
  readonly preset: AgentPreset;
}

export interface AgentWork {
  readonly usage: AgentUsage;
  execute(prompt: string): Promise<AgentOutcome>;
}

export async function runAgent(
  { request, files }: AgentToRun,
  options: AgentRunOptions,
  toWork: (transcript: Transcript) => AgentWork,
): Promise<AgentReport> {
  if (!(await isFolder(request.workspacePath)))
    return { outcome: { kind: "spawn-error", reason: `${request.workspacePath} is not a folder` }, usage: {} };
  const prompt = toPrompt(request, files);
  await files.prepare(prompt, toContextFile(request));
  const transcript = new Transcript(files.transcript, options.maskText);
  const work = toWork(transcript);
  try {
    const outcome = await work.execute(prompt);
    return { outcome, usage: work.usage, transcript: files.transcript };
  } finally {
    await transcript.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

export function toProcess({ request, files, preset }: AgentToRun, timeoutMs: number | undefined): ProcessToStart {
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
export async function readResultFile(
  files: SessionFiles,
  options: AgentRunOptions,
): Promise<ReportedResult | undefined> {
  const result = readResult(await files.readResult());
  return result && (await keptResult(result, files, options));
}

/** The result with its secrets masked, and with the last message of the agent if it has no summary. */
export async function keptResult(
  result: ReportedResult,
  files: SessionFiles,
  { maskText }: AgentRunOptions,
): Promise<ReportedResult> {
  const summary = result.summary ?? (await files.readLastMessage());
  return maskResult({ ...result, ...(summary === undefined ? {} : { summary }) }, maskText);
}
