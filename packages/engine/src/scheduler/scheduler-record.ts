// The scheduler's record of one execution, and the levels of the wait queue that contain its steps: steps are in a claim
// queue, claim queues in the group of their execution, groups in the queue of their requirement. The classes refer to one
// another, so they are in one file.

import { Ranked, type Heap } from "../collections/heap.ts";
import { StepMap } from "../collections/step-map.ts";
import { AGEING_MS } from "./ageing.ts";
import type { ScheduledAlarm } from "./alarms.ts";
import { Group, type ParentGroup } from "./group.ts";
import type { Reservation } from "./reservation.ts";
import type { Breaker } from "./resources/breaker.ts";
import type { Claim, Requirement } from "./resources/claim.ts";
import { ProbeCandidate } from "./probe-candidate.ts";
import { StepPositions } from "./step-positions.ts";
import { FifoSteps, RankedSteps, type Steps } from "./steps.ts";
import { claimQueueKey, type StrategySettings } from "./strategy.ts";

/** A requirement queue holds all waiting steps with the same requirement. They are checked together. */
export class RequirementQueue extends Group<ExecutionGroup> {
  readonly requirement: Requirement;
  /** Fires when the first step has waited long enough to request a reservation. */
  starvationAlarm: ScheduledAlarm | undefined = undefined;
  /** Its reservations, requested or active, one per resource. */
  reservations: readonly Reservation<RequirementQueue>[] | undefined = undefined;
  readonly #onEmptied: (queue: RequirementQueue) => void;

  constructor(requirement: Requirement, parent: ParentGroup, onEmptied: (queue: RequirementQueue) => void) {
    super(parent);
    this.requirement = requirement;
    this.#onEmptied = onEmptied;
  }

  protected override onEmptied(): void {
    this.#onEmptied(this);
  }
}

/**
 * An execution group holds the claim queues of one execution with the same requirement. Groups are ordered by SCHED-2:
 * by priority plus the time for which the execution ages (`ageingSinceMs`), then by `fairnessSeq`, then the step rank
 * of the strategy, then the longest wait.
 */
export class ExecutionGroup extends Group<ClaimQueue> {
  readonly schedulerRecord: SchedulerRecord<unknown>;
  readonly requirementQueue: RequirementQueue;

  constructor(schedulerRecord: SchedulerRecord<unknown>, requirementQueue: RequirementQueue) {
    super(requirementQueue);
    this.schedulerRecord = schedulerRecord;
    this.requirementQueue = requirementQueue;
  }

  /** The execution was granted a step since this group was ranked, so this group would come too early. */
  get isStale(): boolean {
    return this.tieBreakSeq !== this.schedulerRecord.fairnessSeq;
  }

  refresh(): void {
    this.copyRank(this.first!);
    if (this.index >= 0) this.requirementQueue.onMemberMoved(this);
  }

  /**
   * Priority and age in one number. All executions age at the same pace, so the order of two executions does not change
   * while both wait.
   */
  groupKeyFor(claimQueue: ClaimQueue): number {
    return claimQueue.key + this.schedulerRecord.priority * AGEING_MS - this.schedulerRecord.ageingSinceMs;
  }

  protected override copyRank(claimQueue: ClaimQueue): void {
    this.key = this.groupKeyFor(claimQueue);
    this.tieBreakSeq = this.schedulerRecord.fairnessSeq;
    this.stepRank = claimQueue.stepRank;
    this.since = claimQueue.since;
  }
}

/** A claim queue holds the waiting steps of one execution with the same claim. It ranks by its first step. */
export class ClaimQueue extends Ranked {
  readonly executionGroup: ExecutionGroup;
  readonly claim: Claim;
  readonly steps: Steps;
  readonly #probeCandidate: ProbeCandidate<ClaimQueue> | undefined;

  constructor(
    executionGroup: ExecutionGroup,
    claim: Claim,
    steps: Steps,
    key: number,
    probeCandidates?: Heap<ProbeCandidate<ClaimQueue>>,
  ) {
    super();
    this.executionGroup = executionGroup;
    this.claim = claim;
    this.steps = steps;
    this.key = key;
    this.#probeCandidate = probeCandidates === undefined ? undefined : new ProbeCandidate(this, probeCandidates);
  }

  add(step: number, since: number, stepRank: number): void {
    this.steps.add(step, since, stepRank);
    this.#updateRank();
  }

  delete(step: number): void {
    this.steps.delete(step);
    this.#updateRank();
  }

  /** The execution's strategy changed. */
  rekey(key: number): void {
    if (this.key === key) return;
    this.key = key;
    if (this.index >= 0) this.executionGroup.onMemberMoved(this);
  }

  /** The execution withdraws all its steps. */
  close(): void {
    this.#probeCandidate?.leave();
  }

  #updateRank(): void {
    const { steps } = this;
    this.#probeCandidate?.updateRank();
    if (steps.size === 0) return this.executionGroup.leave(this);
    if (this.index >= 0 && this.since === steps.since && this.stepRank === steps.stepRank) return;
    this.since = steps.since;
    this.stepRank = steps.stepRank;
    if (this.index >= 0) this.executionGroup.onMemberMoved(this);
    else this.executionGroup.enter(this);
  }
}

/** The queues that all executions share. */
export interface WaitSetQueues {
  requirementQueueFor(requirement: Requirement): RequirementQueue;
  probeCandidatesFor(breaker: Breaker): Heap<ProbeCandidate<ClaimQueue>>;
}

/** Empty claim queues are kept for reuse up to this number. */
const QUEUES_KEPT = 16;

/** All waiting steps of one execution. */
export class ExecutionWaitSet {
  readonly #schedulerRecord: SchedulerRecord<unknown>;
  readonly #shared: WaitSetQueues;
  readonly #positions = new StepPositions();
  readonly #byClaim = new Map<Claim, ClaimQueue>();
  readonly #groups = new Map<Requirement, ExecutionGroup>();
  /** Claim queue n is at index n - 1; number 0 means none. */
  #queues: ClaimQueue[] = [];
  /** Groups that came first while the execution ran at its concurrency limit. */
  #skipped: ExecutionGroup[] = [];
  #settings: StrategySettings;
  #size = 0;

  constructor(schedulerRecord: SchedulerRecord<unknown>, settings: StrategySettings, queues: WaitSetQueues) {
    this.#schedulerRecord = schedulerRecord;
    this.#settings = settings;
    this.#shared = queues;
  }

  get size(): number {
    return this.#size;
  }

  get settings(): StrategySettings {
    return this.#settings;
  }

  get queues(): readonly ClaimQueue[] {
    return this.#queues;
  }

  /** The claim queue of a waiting step. */
  queueOfStep(step: number): ClaimQueue | undefined {
    const number = this.#positions.queueAt(step);
    return number === 0 ? undefined : this.#queues[number - 1];
  }

  add(queue: ClaimQueue, step: number, since: number, stepRank: number): void {
    this.#size++;
    queue.add(step, since, stepRank);
  }

  delete(queue: ClaimQueue, step: number): void {
    this.#size--;
    queue.delete(step);
    if (this.#size === 0 && this.#queues.length > QUEUES_KEPT) this.#dropUnusedQueues();
  }

  queueForClaim(claim: Claim): ClaimQueue {
    return this.#byClaim.get(claim) ?? this.#createQueue(claim);
  }

  /** The execution is at its concurrency limit: excludes the group until a step of the execution is released. */
  skip(group: ExecutionGroup): void {
    if (group.isExcluded) return;
    group.exclude();
    this.#skipped.push(group);
  }

  /** A step was released: includes the skipped groups. */
  unskip(): void {
    if (this.#skipped.length === 0) return;
    const skipped = this.#skipped;
    this.#skipped = [];
    for (const group of skipped) group.include();
  }

  /** Removes all steps. The wait set is not used again. */
  close(): void {
    for (const group of this.#groups.values()) group.exclude();
    for (const queue of this.#queues) queue.close();
  }

  changeSettings(settings: StrategySettings): void {
    this.#settings = settings;
    for (const queue of this.#queues) queue.rekey(claimQueueKey(settings, queue.claim));
  }

  #dropUnusedQueues(): void {
    this.#groups.clear();
    this.#byClaim.clear();
    this.#queues = [];
    this.#skipped = [];
  }

  #createQueue(claim: Claim): ClaimQueue {
    const { ranking } = this.#settings;
    const number = this.#queues.length + 1;
    const steps =
      ranking === "none" ? new FifoSteps(this.#positions, number) : new RankedSteps(this.#positions, number);
    const { requirement } = claim;
    const candidates = claim.isRetry ? this.#shared.probeCandidatesFor(requirement.breaker!) : undefined;
    const queue = new ClaimQueue(
      this.#groupFor(requirement),
      claim,
      steps,
      claimQueueKey(this.#settings, claim),
      candidates,
    );
    this.#queues.push(queue);
    this.#byClaim.set(claim, queue);
    return queue;
  }

  #groupFor(requirement: Requirement): ExecutionGroup {
    let group = this.#groups.get(requirement);
    if (group === undefined)
      this.#groups.set(
        requirement,
        (group = new ExecutionGroup(this.#schedulerRecord, this.#shared.requirementQueueFor(requirement))),
      );
    return group;
  }
}

/** The scheduler's record of one execution: the claims of its steps that hold a slot, and the steps that wait. */
export class SchedulerRecord<Execution> {
  readonly execution: Execution;
  /** How many steps of this execution may run at once. */
  readonly limit: number;
  /** Added to the priority of each step. */
  readonly priority: number;
  /** The claims of the steps that hold a slot. */
  readonly held: StepMap<Claim> = new StepMap();
  /** How many of these claims hold more than a slot. */
  heldWithResources: number = 0;
  /** Created when a step has to wait for the first time. */
  waitSet: ExecutionWaitSet | undefined = undefined;
  /** The execution's own settings; undefined for the scheduler's. */
  strategySettings: StrategySettings | undefined = undefined;
  /**
   * The time since which the execution's waiting steps gain priority. Reset when the first of its steps begins to wait,
   * and at each grant while others wait. Time without waiting steps does not count. If every request is granted at
   * once, the clock is never read.
   */
  ageingSinceMs: number = 0;
  /**
   * Lets executions of equal priority and age take turns: the smaller number comes first. The execution gets the next
   * number of one counter for all executions at each grant, and when its first step begins to wait.
   */
  fairnessSeq: number = 0;

  constructor(execution: Execution, limit: number = Number.POSITIVE_INFINITY, priority: number = 0) {
    this.execution = execution;
    this.limit = limit;
    this.priority = priority;
  }
  /**
   * Whether the step holds a slot or waits. A step withdrawn while its grant was on its way keeps its slot. If it is
   * requested again, that grant is its answer, so it gets no second slot (G1 in `scheduler.ts`).
   */
  holdsOrAwaits(step: number): boolean {
    return this.held.has(step) || this.waitSet?.queueOfStep(step) !== undefined;
  }
}
