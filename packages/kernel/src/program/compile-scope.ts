// Surroundings: what stands around a list of steps while it is compiled.

import type { Definition, StepDefinition } from "../model/definition.ts";
import type { JsonPath } from "../model/json.ts";
import type { Graph } from "../graph/graph.ts";
import type { Expression } from "../data/jmespath/expression.ts";
import type { ShapeBudget } from "../data/shapes/shape-budget.ts";
import type { Writer } from "./program.ts";

/** A workflow of its own; the template of a map; or steps that an attempt asked for at run time. */
export interface CompileScope {
  readonly path: JsonPath;
  readonly scope: "workflow" | "map" | "steps";
  readonly inMap: boolean;
  /** The scope's own step: its children see what it sees. Absent where that is not known, as at run time. */
  readonly outer?: Outer;
}

export interface Outer {
  readonly scope: ReadScope;
  readonly step: number;
  /** The list whose items a map's children see; absent where it could not be read. */
  readonly over: Expression | undefined;
}

export const WORKFLOW_SCOPE: CompileScope = { path: [], scope: "workflow", inMap: false };

/** What is needed to say who may read whom. */
export interface ReadScope {
  readonly definition: Definition;
  readonly graph: Graph;
  readonly writers: readonly Writer[];
  readonly surroundings: CompileScope;
  /** One for a definition and all scopes in it. */
  readonly budget: ShapeBudget;
}

/** Steps inside a scope see the workflow's variables, resources, agents and secrets and share its strictness; the rest is its own. */
export function childScopeDefinition(outer: Definition, steps: readonly StepDefinition[]): Definition {
  const { name, variables, strict, resources, agents, secrets } = outer;
  return {
    name,
    ...(variables === undefined ? {} : { variables }),
    ...(strict === undefined ? {} : { strict }),
    ...(resources === undefined ? {} : { resources }),
    ...(agents === undefined ? {} : { agents }),
    ...(secrets === undefined ? {} : { secrets }),
    steps,
  };
}

/**
 * For steps made at run time, which nobody has read: what is not said to be the workflow's is not theirs either (DATA-9). In a
 * contract a workflow may leave out what it declares; whoever wrote it wrote its steps as well.
 */
export function sandboxedDefinition(definition: Definition, { secrets = [], resources = {} }: Definition): Definition {
  return { ...definition, secrets, resources };
}
