// The data that the steps of one list are compiled with.

import type { FallbackChains } from "../graph/fallback-chains.ts";
import type { Definition } from "../model/definition.ts";
import type { CompileScope, ReadScope } from "./compile-scope.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import type { Program } from "./program.ts";
import type { ReadOnlyPaths } from "./read-only-paths.ts";

/** A compiled list of steps. Without a program if its steps have no order. */
export interface ScopeResult {
  readonly problems: ProblemCollector;
  readonly program: Program | undefined;
}

export interface StepCompilation {
  readonly scope: ReadScope;
  readonly problems: ProblemCollector;
  readonly chains: FallbackChains;
  readonly readOnly: ReadOnlyPaths;
  /** The secrets that the workflow declares; undefined if it declares none. */
  readonly secrets: ReadonlySet<string> | undefined;
  /**
   * Passed in, because the steps of a map or a repetition are compiled like any list of steps. `compileMore` compiles expressions
   * that read all of these steps.
   */
  readonly compileInner: (
    definition: Definition,
    scope: CompileScope,
    compileMore?: (problems: ProblemCollector) => void,
  ) => ScopeResult;
}
