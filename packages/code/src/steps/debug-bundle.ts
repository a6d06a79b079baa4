// A file with everything that a person needs to look into a failed session or a failed merge (CODE-9).
//
//   DB1. It lies in the folder of the session, beside its transcript. A merge has the folder of the session whose work it
//        merges.
//   DB2. A bundle that cannot be written changes nothing about the failure.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LANDING_NAME } from "../git/branch-names.ts";
import type { MergeResult } from "../model/merge-result.ts";
import type { SessionResult } from "../sessions/session-manager.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { MergeInput, SessionInput, WorkValue } from "./step-values.ts";

export interface SessionFacts {
  readonly input: SessionInput;
  readonly session: { readonly sessionId: string; readonly workspaceId: string };
  /** Undefined if the agent did not begin, or if its work could not be collected. */
  readonly result?: SessionResult;
  readonly error?: Error;
}

/** Agents in memory have no transcript, and get no bundle. */
export async function writeSessionBundle(
  runtime: StepRuntime,
  { input, session, result, error }: SessionFacts,
): Promise<void> {
  const { task, fix = null, workflow, settings } = input;
  const folder =
    result?.transcript === undefined
      ? repositoryFolder(runtime, settings.repository, session.sessionId)
      : dirname(result.transcript);
  if (folder === undefined) return;
  const facts = { session: session.sessionId, task, fix, workflow, result, error: error?.message };
  await write(runtime, join(folder, "debug.json"), session.workspaceId, facts);
}

export async function writeMergeBundle(
  runtime: StepRuntime,
  { task, workflow, settings, work, fixesMade = 0 }: MergeInput,
  result: MergeResult,
): Promise<void> {
  const session =
    work?.sessionId === undefined || work.sessionId === "" ? `${workflow.workflowId}-${LANDING_NAME}` : work.sessionId;
  const folder = repositoryFolder(runtime, settings.repository, session);
  if (folder === undefined) return;
  const { workspaceId } = (work ?? {}) as Partial<WorkValue>;
  const facts = { task: task ?? null, workflow, work: work ?? null, fixesMade, result };
  await write(runtime, join(folder, "merge-debug.json"), workspaceId, facts);
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
  const file = join(runtime.sessions.folderOf(id), "debug.json");
  await write(runtime, file, workspaceId, { id, setUp });
  return file;
}

/** Undefined if the ports of a program are used: only the program knows where its files are. */
function repositoryFolder(runtime: StepRuntime, repository: string | undefined, session: string): string | undefined {
  return repository === undefined ? undefined : runtime.sessions.folderOf(session);
}

async function write(
  { host, ports }: StepRuntime,
  file: string,
  workspaceId: string | undefined,
  facts: object,
): Promise<void> {
  try {
    const workspace = workspaceId && (await ports.workspacePort.getWorkspaceStatus(workspaceId));
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // An agent can write to the folder of its session, so the file may be a link.
    await rm(file, { recursive: true, force: true });
    const text = host.maskText(JSON.stringify({ ...facts, workspace }, null, 2));
    await writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" });
  } catch {
    // DB2.
  }
}
