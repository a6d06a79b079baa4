import type { OwnedProcess, ProcessCommand } from "@segno/engine";

/**
 * Starts the processes of agents and checks. In a workflow the engine owns them (`engine.extensions.spawn`): they end with
 * the attempt, and after a crash the next owner of the store ends them. Without an engine, `LocalProcesses` starts them.
 */
export interface ProcessStarter {
  start(command: ProcessCommand): OwnedProcess;
}
