// Filters and handlers of events, the same for every implementation of the port.

import type { CodeEvent, EventFilter, EventHandler } from "./event-port.ts";

/** A key that is absent accepts every event. */
export function accepts({ types, workflowId, taskId }: EventFilter, event: CodeEvent): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  if (workflowId !== undefined && event.workflowId !== workflowId) return false;
  return taskId === undefined || event.taskId === taskId;
}

export async function callHandler(handler: EventHandler, event: CodeEvent): Promise<void> {
  await (typeof handler === "function" ? handler(event) : handler.handle(event));
}
