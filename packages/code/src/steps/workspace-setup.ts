// Prepares workspaces by the commands of the template, for example by an installation of packages.
//
//   SU1. The commands run once in each workspace that is made: for an agent, or for the checks of a merge that has no
//        workspace of an agent.
//   SU2. A workspace for checks that was not set up by this process may be half prepared, because a crash came between. It is
//        made again. The workspace of an agent was set up before the agent began, and its files are never thrown away here.
//   SU3. A set-up that fails is the failure of a tool, not of the work: it charges no task, and the base is not called broken.

import type { StepContext } from "@segno/engine";
import { CodeError } from "../errors/code-error.ts";
import type { WorkspaceRequest } from "../workspaces/workspaces.ts";
import { writeSetUpBundle } from "./debug-bundle.ts";
import { runOwnedCommand } from "./owned-command.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { SessionInput } from "./step-values.ts";

type SetUpInput = Pick<SessionInput, "settings" | "workflow">;

export interface SetUpWorkspace {
  /** The id of the session, or of the workspace if no session uses it. The debug bundle lies in the folder of this name. */
  readonly id: string;
  readonly workspaceId: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

export async function setUp(
  { settings, workflow }: SetUpInput,
  { id, workspaceId, path, signal }: SetUpWorkspace,
  context: StepContext,
  runtime: StepRuntime,
): Promise<void> {
  const { host } = runtime;
  const { parameters } = workflow;
  for (const command of settings.setup) {
    const processes = host.processes(context);
    const { exitCode, log } = await runOwnedCommand({ command, cwd: path, parameters, processes, signal });
    if (exitCode === 0) continue;
    context.log.error("Set-up failed", { command, exitCode, log: host.maskText(log) });
    const bundle = await writeSetUpBundle(runtime, { id, workspaceId, command, exitCode, log });
    throw new CodeError(
      "SETUP_FAILED",
      `the set-up command \`${command}\` ended with ${exitCode ?? "a signal"}; its output is in ${bundle}`,
    );
  }
}

/** Makes sure that there is a workspace for checks (SU1, SU2). */
export async function provideWorkspace(
  request: WorkspaceRequest & { readonly isForChecksOnly: boolean },
  input: SetUpInput,
  context: StepContext,
  runtime: StepRuntime,
): Promise<void> {
  const { workspaceId, branch, base, isForChecksOnly } = request;
  const { workspacePort } = runtime.ports;
  const { setUpWorkspaces } = runtime.sessions;
  const isReady = !isForChecksOnly || input.settings.setup.length === 0 || setUpWorkspaces.has(workspaceId);
  if (isReady && (await workspacePort.getWorkspacePath(workspaceId)) !== undefined) return;
  setUpWorkspaces.delete(workspaceId);
  const { path } = await workspacePort.createWorkspace({ workspaceId, branch, base });
  const { signal } = context;
  await setUp(input, { id: workspaceId.replaceAll("/", "-"), workspaceId, path, signal }, context, runtime);
  setUpWorkspaces.add(workspaceId);
}
