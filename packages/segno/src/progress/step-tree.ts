// Steps as a tree: what a step opened into, and what undoes it, stand directly below it.
//
//   T1. A step whose parent's row stands above it has the rest of its name; alone it has all of it, which is what commands
//       take.
//   T2. What is left out has nothing shown below it: whoever is chosen brings along what it stands below.

import { stepAbove, type StepProgress } from "./step-progress.ts";

export interface TreeRow {
  readonly step: StepProgress;
  /** What is drawn before the name. */
  readonly branch: string;
  /** The name, as far as the rows above do not have it. */
  readonly name: string;
}

/** Depth first; those of the same parent in the order in which they come. */
export function treeRows(steps: readonly StepProgress[]): readonly TreeRow[] {
  const shown = new Map(steps.map((step) => [step.index, step]));
  const below = Map.groupBy(steps, (step) => shown.get(stepAbove(step) ?? -1));
  const rows: TreeRow[] = [];
  const add = (above: StepProgress | undefined, trunk: string): void => {
    const children = below.get(above) ?? [];
    children.forEach((step, place) => {
      const isLast = place === children.length - 1;
      const [branch, stem] = above === undefined ? ["", ""] : isLast ? ["└ ", "  "] : ["├ ", "│ "];
      rows.push({ step, branch: trunk + branch, name: nameSuffix(step, above) });
      add(step, trunk + stem);
    });
  };
  add(undefined, "");
  return rows;
}

function nameSuffix({ name }: StepProgress, above: StepProgress | undefined): string {
  return above !== undefined && name.startsWith(`${above.name}/`) ? name.slice(above.name.length + 1) : name;
}

/** At most so many, the first of these first, each with all that it stands below; in the order of all steps. */
export function chosenSteps(
  steps: readonly StepProgress[],
  first: readonly StepProgress[],
  rowsMax: number,
): readonly StepProgress[] {
  const byIndex = new Map(steps.map((step) => [step.index, step]));
  const chosen = new Set<StepProgress>();
  for (const step of first) {
    if (chosen.size >= rowsMax) break;
    const chain: StepProgress[] = [];
    for (let each: StepProgress | undefined = step; each !== undefined && !chosen.has(each);) {
      chain.push(each);
      each = byIndex.get(stepAbove(each) ?? -1);
    }
    if (chosen.size + chain.length <= rowsMax) for (const each of chain) chosen.add(each);
  }
  return steps.filter((step) => chosen.has(step));
}
