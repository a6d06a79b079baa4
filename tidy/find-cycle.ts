// Finds a cycle in a graph.

/** The names on the first cycle, in order; empty if the graph has no cycle. */
export function findCycle(targets: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  for (const start of targets.keys()) {
    const cycle = walk(start, targets, done);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

/** Searches depth first, without recursion. `path` leads from `start`; no name in `done` leads to a cycle. */
function walk(start: string, targets: ReadonlyMap<string, readonly string[]>, done: Set<string>): readonly string[] {
  if (done.has(start)) return [];
  const path = [{ name: start, next: 0 }];
  while (path.length > 0) {
    const top = path.at(-1)!;
    const target = (targets.get(top.name) ?? [])[top.next++];
    if (target === undefined) {
      done.add(top.name);
      path.pop();
      continue;
    }
    const index = path.findIndex(({ name }) => name === target);
    if (index >= 0) return path.slice(index).map(({ name }) => name);
    if (!done.has(target)) path.push({ name: target, next: 0 });
  }
  return [];
}
