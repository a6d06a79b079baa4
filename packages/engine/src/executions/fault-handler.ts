// Handles executions that cannot continue. A fault of the store is reconciled: the store may recover, and may have written
// the commit that failed. Any other error breaks an invariant, so the execution is quarantined (JOURNAL-6).

import type { ExecutionId } from "@segno/kernel";
import type { Timers } from "../clock/timers.ts";
import { StoreFault } from "../store/store-fault.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import type { Evictor } from "./evictor.ts";
import type { Journals } from "./journals.ts";
import type { LiveExecutions } from "./live-executions.ts";
import type { Reconciler } from "./reconciler.ts";

export interface FaultHandlerPorts {
  readonly live: LiveExecutions;
  readonly timers: Timers;
  readonly journals: Journals;
  readonly evictor: Evictor;
  readonly reconciler: Reconciler;
  readonly report: (error: unknown, execution: ExecutionId) => void;
}

export class FaultHandler {
  readonly #ports: FaultHandlerPorts;

  constructor(ports: FaultHandlerPorts) {
    this.#ports = ports;
  }

  onFault(execution: LiveExecution, error: unknown): void {
    const { live, timers, journals, evictor, reconciler, report } = this.#ports;
    if (execution.turnStage === "gone") return;
    report(error, execution.id);
    if (error instanceof StoreFault) return reconciler.enqueue(execution, error);
    const { message } = error as Error;
    evictor.abortAndEvict(execution, message);
    void journals.quarantineWithRetry(execution.id, message, {
      isClosed: () => live.isClosed,
      sleep: (ms) => timers.sleep(ms),
    });
  }
}
