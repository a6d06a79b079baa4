// The scope that a list of steps is compiled in.

import type { Definition, StepDefinition } from "../model/definition.ts";
import type { JsonPath } from "../model/json.ts";
import type { Graph } from "../graph/graph.ts";
import type { Expression } from "../data/jmespath/expression.ts";
import type { ShapeBudget } from "../data/shapes/shape-budget.ts";
import type { Writer } from "./program.ts";

/** A workflow, the template of a map, the steps of a repetition, or steps that an attempt returned at run time. */
export interface CompileScope {
  readonly path: JsonPath;
  readonly scope: "workflow" | "map" | "repeat" | "steps";
  readonly inMap: boolean;
  readonly inRepeat: boolean;
  /** The step that opens the scope: its children see what it sees. Absent if it is unknown, as at run time. */
  readonly outer?: OuterScope;
}

export interface OuterScope {
  readonly scope: ReadScope;
  readonly step: number;
  /** The list whose items the children of a map see; absent if it could not be parsed. */
  readonly over: Expression | undefined;
}

export const WORKFLOW_SCOPE: CompileScope = { path: [], scope: "workflow", inMap: false, inRepeat: false };

/** The data that decides which steps may read which. */
export interface ReadScope {
  readonly definition: Definition;
  readonly graph: Graph;
  readonly writers: readonly Writer[];
  readonly compileScope: CompileScope;
  /** One for a definition and all scopes in it. */
  readonly budget: ShapeBudget;
}

/** Steps inside a scope share the workflow's variables, resources, agents, secrets and strictness; the rest is their own. */
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
 * For steps made at run time, which no author has reviewed: names that the workflow does not declare are not available to them
 * (DATA-9). In a contract a workflow may leave out declarations, because the same author wrote its steps.
 */
export function sandboxedDefinition(definition: Definition, { secrets = [], resources = {} }: Definition): Definition {
  return { ...definition, secrets, resources };
}
