// The last resort: when this process exits without having ended its commands, their groups are killed on the way out. There
// is no time to look for what left its group then; the next owner of the store does that (`orphans.ts`).

import type { ProcessGroup } from "./process-group.ts";

const groups = new Set<ProcessGroup>();

/** One listener for all, and none while nothing runs. */
export function guard(group: ProcessGroup): void {
  if (groups.size === 0) process.on("exit", killAll);
  groups.add(group);
}

export function unguard(group: ProcessGroup): void {
  if (groups.delete(group) && groups.size === 0) process.off("exit", killAll);
}

function killAll(): void {
  for (const group of groups) group.signal("SIGKILL");
}
