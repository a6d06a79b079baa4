// Opens scopes (STATE-9): the regions of maps, called workflows, expansions and iterations.

import { invariant } from "../errors/invariant-violation.ts";
import type { StepEvent } from "../journal/event.ts";
import type { ContentHash } from "../model/units.ts";
import { compileExpansion } from "../program/compile.ts";
import type { Program } from "../program/program.ts";
import { beginItems, readyAll } from "./item-window.ts";
import type { Region } from "./region.ts";
import { addRegion, type NewRegion, type State } from "./state.ts";
import { compiledStep, findRegion, surroundings } from "./step-position.ts";

export function openScope(state: State, { step, children }: StepEvent & { kind: "step.expanded" }): void {
  const { depth } = findRegion(state, step);
  const region = addRegion(state, { parent: step, depth: depth + 1, ...contents(state, step, children) });
  if (region.window === undefined) readyAll(state, region.base, region.base + region.size);
  else beginItems(state, region);
  if (region.unsettled === 0) state.agenda.settledRegions.add(state.regions.length - 1);
}

/** STATE-13: the next iteration of a repetition. */
export function openIteration(
  state: State,
  { parent, depth, program, result, iterationsLeft }: Region,
  iteration: number,
): void {
  const region = addRegion(state, {
    kind: "iteration",
    program,
    instances: 1,
    parent,
    depth,
    iteration,
    iterationsLeft: iterationsLeft - 1,
    value: undefined,
    result,
  });
  // In a new round, a repetition that is not its turn yet continues with this iteration.
  if (state.heldScopes.size > 0 && state.heldScopes.has(parent)) state.heldScopes.set(parent, region);
  readyAll(state, region.base, region.base + region.size);
  if (region.unsettled === 0) state.agenda.settledRegions.add(state.regions.length - 1);
}

type RegionContents = Pick<
  NewRegion,
  "kind" | "program" | "instances" | "limit" | "iteration" | "iterationsLeft" | "value" | "result"
>;

function contents(
  state: State,
  step: number,
  children: (StepEvent & { kind: "step.expanded" })["children"],
): RegionContents {
  switch (children.kind) {
    case "items": {
      const { work } = compiledStep(state, step);
      invariant(work.kind === "items", "STATE-9", `step ${step} opened into items, but is not a map`);
      return {
        kind: "items",
        program: work.template,
        instances: children.count,
        limit: work.concurrency,
        value: children.items,
        result: work.result,
      };
    }
    case "iteration": {
      const { work } = compiledStep(state, step);
      invariant(work.kind === "repeat", "STATE-13", `step ${step} opened into an iteration, but does not repeat`);
      return {
        kind: "iteration",
        program: work.template,
        instances: 1,
        iteration: 0,
        iterationsLeft: work.max - 1,
        value: undefined,
        result: work.result,
      };
    }
    case "workflow":
      return {
        kind: "workflow",
        program: inLibrary(state, children.definition),
        instances: 1,
        value: children.input,
        result: -1,
      };
    case "steps": {
      const compiled = compileExpansion(
        findRegion(state, step).program.definition,
        children.steps,
        surroundings(state, step),
      );
      invariant(compiled.kind === "program", "STATE-9", `the steps that step ${step} opened into do not compile`);
      const result = children.result === undefined ? -1 : (compiled.program.graph.indexById.get(children.result) ?? -1);
      return { kind: "steps", program: compiled.program, instances: 1, value: undefined, result };
    }
  }
}

function inLibrary(state: State, definition: ContentHash): Program {
  const program = state.library.get(definition);
  invariant(program !== undefined, "STATE-9", `the definition ${definition} is not in the library`);
  return program;
}
