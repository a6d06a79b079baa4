// What the agents, the checks and the people of a simulation do with files.
//
// Every task writes a file of its own. A `shared` task adds a line to a file that others change, so that its merge may
// conflict. A `bad` task adds a file that the check refuses. The files of a `left` and of a `right` task are refused
// together, unless there is a file `both`, although each of them passes alone.

import type { TaskPlan } from "./landing-plan.ts";

export type Files = ReadonlyMap<string, string>;

const BOTH = "both.txt";
export const BROKEN = "broken.txt";

export function ownFile(workflow: string, task: string): string {
  return `own-${workflow}-${task}.txt`;
}

export function badFile(workflow: string, task: string): string {
  return `bad-${workflow}-${task}.txt`;
}

/** The line that a task adds to a shared file. */
export function sharedLine(workflow: string, task: string): string {
  return `${workflow}-${task}`;
}

/** The changes of a task, in the order in which its agent makes them. */
export function taskChanges(files: Files, workflow: string, task: TaskPlan): readonly (readonly [string, string])[] {
  const { id, trouble, sharedFile } = task;
  if (trouble === "idle") return [];
  const own = [ownFile(workflow, id), `${id}\n`] as const;
  switch (trouble) {
    case "none":
      return [own];
    case "shared":
      return [own, [sharedFile, withLine(files.get(sharedFile) ?? "", sharedLine(workflow, id))]];
    case "bad":
      return [own, [badFile(workflow, id), "bad\n"]];
    case "left":
    case "right":
      return [own, [`${trouble}-${workflow}-${id}.txt`, `${trouble}\n`]];
  }
}

export function withLine(text: string, line: string): string {
  return toText([...linesOf(text), line]);
}

/** The reasons why the check fails; empty if it passes. */
export function findFaults(files: Files): readonly string[] {
  const names = [...files.keys()];
  const has = (prefix: string): boolean => names.some((name) => name.startsWith(prefix));
  return [
    ...names.filter((name) => name.startsWith("bad-") || name === BROKEN),
    ...(has("left-") && has("right-") && !files.has(BOTH) ? ["left and right without both"] : []),
  ].toSorted();
}

/** The files after a repair: without conflict markers and without faults. */
export function repair(files: Files): Files {
  const repaired = new Map(
    [...files]
      .filter(([name]) => !name.startsWith("bad-"))
      .map(([name, text]) => [name, withoutMarkers(text)] as const),
  );
  if (findFaults(repaired).some((fault) => fault.startsWith("left"))) repaired.set(BOTH, "both\n");
  return repaired;
}

export function withoutBroken(files: Files): Files {
  return new Map([...files].filter(([name]) => name !== BROKEN));
}

/** The files of a base after a repair. */
export function repairBase(files: Files): Files {
  return repair(withoutBroken(files));
}

export function filesKey(files: Files): string {
  return JSON.stringify([...files].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** All lines of both sides. */
function withoutMarkers(text: string): string {
  return /^<{7}/mu.test(text) ? toText(linesOf(text).filter((line) => !/^(?:<{7}|={7}|>{7})/u.test(line))) : text;
}

export function linesOf(text: string): readonly string[] {
  return text.split("\n").filter(Boolean);
}

function toText(lines: readonly string[]): string {
  return [...new Set(lines)]
    .toSorted()
    .map((line) => `${line}\n`)
    .join("");
}
