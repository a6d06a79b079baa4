// The secrets that may appear in the steps of an execution: those that its workflow, its sub-workflows and its dynamic
// steps name. Any step may see a value that another step left behind.

import { programInside, type Program, type State } from "@segno/kernel";
import { listSecretNames } from "./secret-names.ts";

const NONE: readonly string[] = Object.freeze([]);

export class ReachableSecrets {
  readonly #workflow: (name: string) => Program | undefined;
  readonly #own = new WeakMap<Program, readonly string[]>();
  /** The names of programs whose sub-workflows were all known. */
  readonly #whole = new WeakMap<Program, readonly string[]>();
  /** The names of executions with scopes, up to the number of regions that were processed. */
  readonly #opened = new WeakMap<State, { readonly regions: number; readonly names: readonly string[] }>();

  constructor(workflow: (name: string) => Program | undefined) {
    this.#workflow = workflow;
  }

  /** The names for a step of an execution. */
  around(state: State): readonly string[] {
    const whole = this.of(state.program);
    const { regions } = state;
    if (regions.length === 1) return whole;
    const known = this.#opened.get(state);
    if (known?.regions === regions.length) return known.names;
    // Another version of a sub-workflow may have been registered since it was opened.
    const opened = regions.slice(known?.regions ?? 0).map(({ program }) => this.#ownNames(program));
    const names = union([whole, known?.names ?? NONE, ...opened]);
    this.#opened.set(state, { regions: regions.length, names });
    return names;
  }

  /** The names of a program and of the workflows that it calls. */
  of(program: Program): readonly string[] {
    const known = this.#whole.get(program);
    if (known !== undefined) return known;
    const { programs, isWhole } = this.#reachable(program);
    const names = union(programs.map((each) => this.#ownNames(each)));
    if (isWhole) this.#whole.set(program, names);
    return names;
  }

  #ownNames(program: Program): readonly string[] {
    const known = this.#own.get(program);
    if (known !== undefined) return known;
    const names = listSecretNames(program.definition, program);
    this.#own.set(program, names);
    return names;
  }

  #reachable(root: Program): { readonly programs: readonly Program[]; readonly isWhole: boolean } {
    const programs = new Set([root]);
    let isWhole = true;
    for (const program of programs)
      for (const name of workflowsIn(program)) {
        const called = this.#workflow(name);
        if (called === undefined) isWhole = false;
        else programs.add(called);
      }
    return { programs: [...programs], isWhole };
  }
}

function workflowsIn({ steps }: Program): readonly string[] {
  return steps.flatMap(({ work }) => {
    if (work.kind === "workflow") return [work.workflow];
    const inside = programInside(work);
    return inside === undefined ? [] : workflowsIn(inside);
  });
}

function union(lists: readonly (readonly string[])[]): readonly string[] {
  const names = new Set(lists.flat());
  return names.size === 0 ? NONE : [...names];
}
