// Runs the checks of a merge on the files of the merged commit (CODE-5).
//
//   CC1. A check that fails is run once more on the same files. If it passes then, it is a flake and counts as passed.
//   CC2. A check that fails twice is run on the target without the merged work. If it fails there too, no task is to blame.
//   CC3. After a failure the workspace has the files of the work again, for a person who repairs it.

import type { CheckResult, MergedCommit } from "../vcs/branches.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import { runOwnedCommand, type OwnedCommand } from "./owned-command.ts";

export interface CheckOptions extends Pick<OwnedCommand, "parameters" | "processes" | "signal"> {
  readonly workspaces: Workspaces;
  readonly workspaceId: string;
  /** The commit with the work that is merged. */
  readonly work: string;
  readonly commands: readonly string[];
  readonly maskText: (text: string) => string;
  /** Called for a check that failed once and then passed. */
  readonly onFlake: (command: string) => void;
}

export async function checkCommit({ commit, onto }: MergedCommit, options: CheckOptions): Promise<CheckResult> {
  await options.workspaces.checkoutCommit(options.workspaceId, commit);
  for (const command of options.commands) {
    const first = await run(command, options);
    if (first === undefined) continue;
    const log = await run(command, options);
    if (log === undefined) {
      options.onFlake(command);
      continue;
    }
    await options.workspaces.checkoutCommit(options.workspaceId, onto);
    const isBaseBroken = (await run(command, options)) !== undefined;
    await options.workspaces.checkoutCommit(options.workspaceId, options.work);
    return { kind: isBaseBroken ? "base-broken" : "failed", command, log };
  }
  return { kind: "passed" };
}

/** The end of the output of a command that failed; undefined if it succeeded. */
async function run(
  command: string,
  { workspaces, workspaceId, ...options }: CheckOptions,
): Promise<string | undefined> {
  const cwd = await workspaces.getWorkspacePath(workspaceId);
  if (cwd === undefined) throw new Error(`there is no workspace ${workspaceId}`);
  const { exitCode, log } = await runOwnedCommand({ command, cwd, ...options });
  return exitCode === 0 ? undefined : options.maskText(log);
}
