// Answers about the server itself.

import type { Json } from "@segno/kernel";

/** A workflow that the server offers. */
export interface ApiWorkflow {
  readonly name: string;
  /** The hash of its definition. */
  readonly definition: string;
  /** The number of its steps. */
  readonly steps: number;
}

/** A workflow with its definition. */
export interface ApiWorkflowDefinition {
  readonly name: string;
  readonly definition: string;
  readonly body: Json;
}

/** The token of the client, as the server knows it. */
export interface ApiTokenOwner {
  /** Votes carry this name. */
  readonly name: string;
  readonly scopes: readonly string[];
}

/** The work that the server's engine has now. */
export interface ApiEngineState {
  readonly isOwner: boolean;
  readonly isQuiet: boolean;
  readonly executionsInMemory: number;
  readonly runningSteps: number;
  /** The last fault of the store. */
  readonly trouble?: string;
}
