// The parts of this process that the steps of code workflows use.

import type { StepContext } from "@segno/engine";
import type { ProcessStarter } from "../agents/process-starter.ts";
import type { ErrorResolutionStrategy } from "../model/error-resolution.ts";
import type { SessionManager } from "../sessions/session-manager.ts";
import type { CodePorts } from "./code-ports.ts";

export interface StepRuntime {
  readonly ports: CodePorts;
  readonly sessions: SessionManager;
  /** Owns the claims of the workflows that this executor starts. */
  readonly executorId: string;
  readonly strategy?: ErrorResolutionStrategy | undefined;
  /** The processes of an attempt: they end with it. */
  processes(context: StepContext): ProcessStarter;
  maskText(text: string): string;
  pause(executionId: string): Promise<void>;
}
