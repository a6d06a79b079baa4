// Arranges steps as a tree: the children of a step, and the step that undoes it, come directly below it.
//   T1. A row below the row of its parent shows only the rest of its name. Without that row it shows its full name, which
//       commands accept.
//   T2. A step is shown only together with all steps that it is below of.

import { stepAbove, type ShownStep } from "./shown-step.ts";

export interface TreeRow {
  readonly step: ShownStep;
  /** The lines of the tree, drawn before the name. */
  readonly branch: string;
  /** The name without the part that the row above shows. */
  readonly name: string;
}

/** Depth first; steps of the same parent keep their order. */
export function treeRows(steps: readonly ShownStep[]): readonly TreeRow[] {
  const shown = new Map(steps.map((step) => [step.index, step]));
  const below = Map.groupBy(steps, (step) => shown.get(stepAbove(step) ?? -1));
  const rows: TreeRow[] = [];
  const add = (above: ShownStep | undefined, trunk: string): void => {
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

function nameSuffix({ name }: ShownStep, above: ShownStep | undefined): string {
  return above !== undefined && name.startsWith(`${above.name}/`) ? name.slice(above.name.length + 1) : name;
}

/** Chooses at most `rowsMax` steps, those of `first` first, each with the steps above it; in the order of `steps`. */
export function chosenSteps(
  steps: readonly ShownStep[],
  first: readonly ShownStep[],
  rowsMax: number,
): readonly ShownStep[] {
  const byIndex = new Map(steps.map((step) => [step.index, step]));
  const chosen = new Set<ShownStep>();
  for (const step of first) {
    if (chosen.size >= rowsMax) break;
    const chain: ShownStep[] = [];
    for (let each: ShownStep | undefined = step; each !== undefined && !chosen.has(each);) {
      chain.push(each);
      each = byIndex.get(stepAbove(each) ?? -1);
    }
    if (chosen.size + chain.length <= rowsMax) for (const each of chain) chosen.add(each);
  }
  return steps.filter((step) => chosen.has(step));
}
