// The environment variables of an agent: those that it needs to work at all, those that its configuration names, and
// those of the contract (CODE-12). No other variable of this process reaches an agent.

import type { ErrorType } from "../model/error-type.ts";
import type { AgentSessionRequest } from "./agent-executor.ts";
import type { SessionFiles } from "./session-files.ts";

/** The version of the contract between Segno and a command. */
export const AGENT_PROTOCOL = 1;

/** The variables of the user that every agent gets. Coding agents need the network, so the proxies belong to them. */
export const AGENT_INHERITS: readonly string[] = [
  "PATH",
  "HOME",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TMPDIR",
  "USER",
  "LOGNAME",
  "SHELL",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  // Hardly any program starts on Windows without these.
  "SystemRoot",
  "SystemDrive",
  "ComSpec",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "ProgramData",
  "ProgramFiles",
];

export type AgentTaskKind = "task" | "fix.conflict" | "fix.test" | "fix.build" | "fix.ci";

const FIX_KINDS: Readonly<Partial<Record<ErrorType, AgentTaskKind>>> = {
  merge_conflict: "fix.conflict",
  test_failure: "fix.test",
  build_failure: "fix.build",
};

export function taskKind({ context: { fix } }: AgentSessionRequest): AgentTaskKind {
  return fix === undefined ? "task" : (FIX_KINDS[fix.error.type] ?? "fix.ci");
}

/** An agent must not wait for a person, and its own commits need an author. */
const FIXED: Readonly<Record<string, string>> = {
  CI: "1",
  NO_COLOR: "1",
  TERM: "dumb",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GIT_AUTHOR_NAME: "Segno agent",
  GIT_AUTHOR_EMAIL: "agent@segno.invalid",
  GIT_COMMITTER_NAME: "Segno agent",
  GIT_COMMITTER_EMAIL: "agent@segno.invalid",
};

export function agentEnvironment(
  request: AgentSessionRequest,
  files: SessionFiles,
  deadlineMs: number | undefined,
): Readonly<Record<string, string>> {
  return {
    ...FIXED,
    SEGNO_PROTOCOL: String(AGENT_PROTOCOL),
    SEGNO_WORKFLOW_ID: request.workflowId,
    SEGNO_TASK_ID: request.taskId,
    SEGNO_TASK_ATTEMPT: String(request.attempt),
    SEGNO_TASK_KIND: taskKind(request),
    SEGNO_SESSION_ID: request.sessionId,
    SEGNO_WORKSPACE: request.workspacePath,
    SEGNO_BRANCH: request.taskBranch,
    SEGNO_BASE_COMMIT: request.baseCommit,
    SEGNO_CONTEXT_FILE: files.context,
    SEGNO_RESULT_FILE: files.result,
    ...(deadlineMs === undefined ? {} : { SEGNO_DEADLINE: new Date(deadlineMs).toISOString() }),
  };
}
