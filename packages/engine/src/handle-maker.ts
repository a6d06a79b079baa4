// Makes handles: what can be asked of an execution, and what can be wished of it.

import type { ExecutionId } from "@segno/kernel";
import type { Environment } from "./clock/environment.ts";
import type { ExecutionHandle } from "./execution-handle.ts";
import type { Following } from "./following.ts";
import { steering } from "./steering.ts";
import type { Wishes } from "./wishes.ts";

export interface HandlePorts {
  readonly following: Following;
  readonly wishes: Wishes;
  readonly environment: Environment;
}

export function handleOf(id: ExecutionId, { following, wishes, environment }: HandlePorts): ExecutionHandle {
  return {
    id,
    result: () => following.result(id),
    status: () => following.status(id),
    output: (step) => following.output(id, step),
    events: () => following.events(id),
    ...steering(
      (make) => wishes.bring(id, make),
      () => environment.id(),
    ),
  };
}
