// The parts of an engine that count, and the registry that reads them.

import { AttemptMetrics } from "./attempt-metrics.ts";
import { CommitMetrics } from "./commit-metrics.ts";
import { EventLoopDelay } from "./event-loop-delay.ts";
import { EventMetrics } from "./event-metrics.ts";
import { FaultMetrics } from "./fault-metrics.ts";
import { MetricsRegistry } from "./metrics-registry.ts";

export class MetricsParts {
  readonly events: EventMetrics = new EventMetrics();
  readonly attempts: AttemptMetrics = new AttemptMetrics();
  readonly commits: CommitMetrics = new CommitMetrics();
  readonly faults: FaultMetrics = new FaultMetrics();
  readonly eventLoopDelay: EventLoopDelay = new EventLoopDelay();
  readonly registry: MetricsRegistry;

  constructor(report: (error: unknown) => void) {
    this.registry = new MetricsRegistry(report);
    for (const part of [this.events, this.attempts, this.commits, this.faults, this.eventLoopDelay])
      this.registry.add(() => part.collect());
  }
}
