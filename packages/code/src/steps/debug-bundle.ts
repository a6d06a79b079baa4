// A file beside the transcript of a failed session, with everything that a person needs to look into it (CODE-9).

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SessionResult } from "../sessions/session-manager.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { SessionInput } from "./step-values.ts";

export interface DebugFacts {
  readonly input: SessionInput;
  readonly session: string;
  readonly result: SessionResult;
}

/** Returns the path of the file; undefined if the agent has no transcript, as one in memory. */
export async function writeDebugBundle(
  runtime: StepRuntime,
  { input, session, result }: DebugFacts,
): Promise<string | undefined> {
  if (result.transcript === undefined) return undefined;
  const workspaceId = runtime.sessions.findSession(session)?.workspaceId;
  const facts = { session, task: input.task, fix: input.fix ?? null, workflow: input.workflow, result };
  return await writeBundle(runtime, dirname(result.transcript), workspaceId, facts);
}

export interface SetUpFacts {
  readonly id: string;
  readonly workspaceId: string;
  readonly command: string;
  readonly exitCode: number | null;
  readonly log: string;
}

/** Returns the path of the file. */
export async function writeSetUpBundle(
  runtime: StepRuntime,
  { id, workspaceId, ...setUp }: SetUpFacts,
): Promise<string> {
  return await writeBundle(runtime, runtime.sessions.folderOf(id), workspaceId, { id, setUp });
}

async function writeBundle(
  { ports, host }: StepRuntime,
  folder: string,
  workspaceId: string | undefined,
  facts: object,
): Promise<string> {
  const file = join(folder, "debug.json");
  const workspace = workspaceId === undefined ? undefined : await ports.workspacePort.getWorkspaceStatus(workspaceId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // An agent can write to the folder of its session, so the file may be a link.
  await rm(file, { recursive: true, force: true });
  const text = host.maskText(JSON.stringify({ ...facts, workspace }, null, 2));
  await writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" });
  return file;
}
