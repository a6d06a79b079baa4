// A repository of this machine, opened for code workflows: git, our objects and the ports on them.

import { join } from "node:path";
import { RoutedAgents } from "../agents/routed-agents.ts";
import { PRESETS, type PresetName } from "../agents/presets.ts";
import type { AgentConfiguration } from "../agents/agent-configuration.ts";
import { Git } from "../git/git.ts";
import { ObjectGit } from "../git/object-git.ts";
import { Repository } from "../git/repository.ts";
import type { GitHubOptions } from "../github/github-options.ts";
import { GitHubVcs } from "../github/github-vcs.ts";
import { mergePolicy } from "../merging/policies.ts";
import type { ForgeConfiguration } from "../model/forge-configuration.ts";
import { SessionManager } from "../sessions/session-manager.ts";
import type { StepPorts } from "../steps/code-ports.ts";
import type { CodeSettings } from "../steps/step-values.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import { GitVcs } from "../vcs/git-vcs.ts";
import type { Vcs } from "../vcs/vcs.ts";
import type { FolderWorkspacesOptions } from "../workspaces/folder-workspaces.ts";
import { GitClones } from "../workspaces/git-clones.ts";
import { GitWorktrees } from "../workspaces/git-worktrees.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import type { WorkspaceKind } from "../template/template.ts";

const SESSIONS = ".segno/sessions";

const WORKSPACES = { worktree: GitWorktrees, clone: GitClones } as const;

export class OpenRepository implements AsyncDisposable {
  readonly repository: Repository;
  readonly objects: ObjectGit;
  readonly vcs: GitVcs;
  readonly #workspaces: Readonly<Record<WorkspaceKind, Workspaces>>;

  private constructor(repository: Repository, objects: ObjectGit) {
    this.repository = repository;
    this.objects = objects;
    this.vcs = new GitVcs(repository, objects);
    this.#workspaces = {
      worktree: new WORKSPACES.worktree(repository, objects),
      clone: new WORKSPACES.clone(repository, objects),
    };
  }

  /** Throws unless code workflows can run on the repository around this folder. */
  static async open(folder: string): Promise<OpenRepository> {
    const repository = await Repository.open(await Git.open(), folder);
    return new OpenRepository(repository, await ObjectGit.open(repository));
  }

  /** Throws if the base branch is missing, or if a branch stands where git needs a folder. */
  async preflight(baseBranch: string): Promise<void> {
    await this.repository.resolveBase(baseBranch);
    await this.repository.checkBranchNames();
  }

  get folder(): string {
    return this.repository.folder;
  }

  get processCount(): number {
    return this.repository.git.processCount;
  }

  workspaces(kind: WorkspaceKind, options?: FolderWorkspacesOptions): Workspaces {
    return options === undefined
      ? this.#workspaces[kind]
      : new WORKSPACES[kind](this.repository, this.objects, options);
  }

  gitHub(github: GitHubOptions): Vcs {
    const { repository, objects } = this;
    return new GitHubVcs({ repository, objects, github });
  }

  /** `token` is asked for the token of the forge before each request. */
  ports(settings: CodeSettings, taskBackend: TaskBackend, token: () => string): StepPorts {
    return {
      taskBackend,
      agentExecutor: configuredAgents(settings),
      workspacePort: this.workspaces(settings.workspaces),
      vcsPort: settings.forge === undefined ? this.vcs : this.gitHub(gitHubOptions(settings.forge, token)),
      stepMergePolicy: mergePolicy(settings.stepPolicy),
      workflowMergePolicy: mergePolicy(settings.workflowPolicy),
    };
  }

  sessions({ workspacePort, agentExecutor }: StepPorts, maxConcurrentSessions: number): SessionManager {
    const folder = join(this.folder, SESSIONS);
    return new SessionManager(workspacePort, agentExecutor, { folder, maxConcurrentSessions });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.objects.close(), this.repository.close()]);
  }
}

/** The agents of the template, and the presets under their own names. */
export function configuredAgents({ agents, agent }: Pick<CodeSettings, "agents" | "agent">): RoutedAgents {
  const presets = Object.keys(PRESETS).map((preset): [string, AgentConfiguration] => [
    preset,
    { preset: preset as PresetName },
  ]);
  return new RoutedAgents({
    agents: { ...Object.fromEntries(presets), ...agents },
    ...(agent === undefined ? {} : { default: agent }),
  });
}

export function gitHubOptions(forge: ForgeConfiguration, token: () => string): GitHubOptions {
  const { kind: _kind, tokenSecret: _tokenSecret, repository, ...options } = forge;
  const [owner = "", name = ""] = repository.split("/");
  return { ...options, owner, repository: name, token };
}
