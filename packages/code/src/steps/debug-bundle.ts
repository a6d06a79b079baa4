// A file beside the transcript of a failed session, with everything that a person needs to look into it (CODE-9).

import { mkdir, writeFile } from "node:fs/promises";
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
  const { ports, sessions } = runtime;
  if (result.transcript === undefined) return undefined;
  const file = join(dirname(result.transcript), "debug.json");
  const workspaceId = sessions.findSession(session)?.workspaceId;
  const workspace = workspaceId === undefined ? undefined : await ports.workspacePort.getWorkspaceStatus(workspaceId);
  const facts = { session, task: input.task, fix: input.fix ?? null, workflow: input.workflow, workspace, result };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${runtime.host.maskText(JSON.stringify(facts, null, 2))}\n`);
  return file;
}
