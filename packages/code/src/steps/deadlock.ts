import type { CodeTask } from "../model/task.ts";

/** Says why none of these tasks can ever run: they wait for each other, or for a task that does not exist. */
export function deadlockOf(blocked: readonly CodeTask[]): string {
  const tasks = new Map(blocked.map((task) => [task.id, task]));
  const path: string[] = [];
  for (let task: CodeTask | undefined = blocked[0]; task !== undefined;) {
    const start = path.indexOf(task.id);
    if (start >= 0)
      return `no task can become ready, because tasks wait for each other: ${[...path.slice(start), task.id].join(" -> ")}`;
    path.push(task.id);
    const next: CodeTask | undefined = task.dependencies
      .map((id) => tasks.get(id))
      .find((other) => other !== undefined);
    if (next === undefined) break;
    task = next;
  }
  const last = tasks.get(path.at(-1) ?? "");
  return `no task can become ready: \`${last?.id ?? ""}\` waits for ${(last?.dependencies ?? []).map((id) => `\`${id}\``).join(", ")}, which this workflow does not have`;
}
