// Ids of workspaces: `<execution>/<task>`. Both parts become parts of paths and refs, so they are checked.

import { CodeError } from "../errors/code-error.ts";
import { checkWorkflowId, checkWorkspaceName } from "../git/branch-names.ts";

export interface WorkspaceIdParts {
  readonly execution: string;
  readonly task: string;
}

export function readWorkspaceId(workspaceId: string): WorkspaceIdParts {
  const [execution = "", task = "", ...rest] = workspaceId.split("/");
  if (rest.length > 0)
    throw new CodeError("TASK_ID_INVALID", `the id of a workspace is <execution>/<task>, not ${workspaceId}`);
  checkWorkflowId(execution);
  checkWorkspaceName(task);
  return { execution, task };
}
