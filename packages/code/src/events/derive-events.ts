// Derives the events of a code workflow from the journal of its execution (EVENT-1).
//
// Job: a pure fold. The same journal gives the same events, with the same ids, live, in history and after a crash.
// Not its job: reading the journal (`event-feed.ts`) or delivering events (`event-bus.ts`).
//
//   DE1. Each event belongs to one event of the journal and has the id `<execution>:<seq>:<n>`. So a part of a journal from its
//        beginning gives a part of the events from their beginning, and an event that is folded twice gives nothing new.
//   DE2. Steps are found by their agents and by the ids of their place (`code-step.ts`), never by texts.
//   DE3. Openings have ends: each `session.created` is followed by `session.completed` or `session.terminated`, each
//        `merge.started` by `merge.completed` or `merge.failed`, each `task.started` by `task.completed` or `task.failed`,
//        unless the journal ends before.
//   DE4. A merge that waits, or whose attempt is repeated, is still the same merge. A merge after a fix or after an
//        escalation is a new one.
//   DE5. A person who is asked is an escalation, except for the approval that a merge policy wants.
//   DE6. A fix is a task of its own, which is completed by its session: its work is merged with that of the original task.
//   DE7. A task that another executor did has no events here but its schedule: not its session, and not the merge that finds
//        nothing to do.

import {
  attemptCount,
  FollowedState,
  stepStatus,
  type ContentHash,
  type Event,
  type Failure,
  type SkipReason,
  type State,
  type Value,
  type Wait,
} from "@segno/kernel";
import { EventType } from "../model/event-type.ts";
import { sessionIdOf } from "../model/session-id.ts";
import { addedSessions, codeStep, parentStep, sessionSteps, type CodeStep } from "./code-step.ts";
import type { CodeEvent } from "./event-port.ts";
import { failureFacts, type FailureFacts } from "./failure-facts.ts";
import { LineFacts, readFrom } from "./line-facts.ts";
import {
  failedMergeFacts,
  findFixStep,
  hasChecks,
  jsonOf,
  openedMergeFacts,
  type FailedMergeFacts,
  type FixFacts,
  type ReadValue,
} from "./merge-facts.ts";

/** An event before it has its id, its workflow and its time. */
type Draft = Omit<CodeEvent, "id" | "workflowId" | "timestamp">;

type TaskNames = Pick<CodeEvent, "taskId" | "originalTaskId">;

/** Takes a state before its first event, which belongs to the fold from then on. */
export function deriveEvents(state: State, journal: Iterable<Event>, readValue?: ReadValue): readonly CodeEvent[] {
  const derived = new DerivedEvents(state, readValue);
  return Array.from(journal, (event) => derived.apply(event)).flat();
}

/** The events of the journal after which the session of a task may have become ready. */
const SCHEDULING: ReadonlySet<Event["kind"]> = new Set([
  "step.completed",
  "step.skipped",
  "step.expanded",
  "execution.reopened",
]);

/** Derives the events of a code workflow from the events of its journal. */
export class DerivedEvents {
  readonly #followed: FollowedState;
  readonly #readValue: ReadValue;
  /** Sessions of tasks that were not scheduled in this round. */
  #unscheduled: readonly number[];
  /** Tasks that were started and have not ended. */
  readonly #tasks = new Set<string>();
  /** Sessions that have not ended, by step. */
  readonly #sessions = new Map<number, Draft>();
  /** Merges that have not ended, by the id of the step at the top. */
  readonly #merges = new Set<string>();
  /** Merges whose last failure was escalated. */
  readonly #escalated = new Set<string>();
  /** The tasks of fixes, by step. */
  readonly #fixes = new Map<number, { readonly taskId: string; readonly originalTaskId: string }>();
  /** Steps that opened into others. */
  readonly #scopes = new Set<number>();
  /** Tasks that another executor did. */
  readonly #elsewhere = new Set<string>();
  readonly #facts: LineFacts;
  #isPaused = false;

  constructor(state: State, readValue: ReadValue = () => undefined) {
    this.#followed = new FollowedState(state);
    this.#readValue = readValue;
    this.#facts = new LineFacts(readValue);
    this.#unscheduled = sessionSteps(state);
  }

  /** The events that follow from the next event of the journal. */
  apply(event: Event): readonly CodeEvent[] {
    if (!this.#followed.apply(event)) return [];
    const workflowId = this.#state.created!.execution;
    this.#facts.apply(this.#state, event);
    const drafts = [...this.#derive(event), ...this.#scheduled(event)];
    return drafts.map((draft, index) => ({
      ...draft,
      ...this.#facts.fieldsOf(draft, this.#state, event),
      workflowId,
      timestamp: event.at,
      id: `${workflowId}:${event.seq}:${index}`,
    }));
  }

  /** The values beside the journal that the next event needs. */
  neededValues(event: Event): readonly ContentHash[] {
    const value = readFrom(this.#state, event);
    return value?.kind === "stored" ? [value.hash] : [];
  }

  get #state(): State {
    return this.#followed.state;
  }

  #derive(event: Event): readonly Draft[] {
    switch (event.kind) {
      case "step.started":
        return this.#withStep(event.step, (step) => this.#started(event.step, step));
      case "step.completed":
        return this.#withStep(event.step, (step) => this.#completed(event.step, step, event.output));
      case "step.retried":
        return this.#withStep(event.step, (step) => this.#retried(event.step, step, event.failure));
      case "step.failed":
        return this.#withStep(event.step, (step) => this.#failed(event.step, step, event.failure));
      case "step.failing":
        // Otherwise the child that failed has its own event.
        return event.child === undefined
          ? this.#withStep(event.step, (step) => [this.#detected(event.step, step, failureFacts(event.failure))])
          : [];
      case "step.expanded":
        this.#unscheduled = [...this.#unscheduled, ...addedSessions(this.#state, event.step)];
        return this.#withStep(event.step, (step) => this.#expanded(event.step, step, event));
      case "step.suspended":
        return this.#withStep(event.step, (step) => this.#asked(event.step, step, event.wait));
      case "step.lost":
        return this.#endSession(event.step, EventType.SessionTerminated, { error: event.reason });
      case "step.cancelled":
        return this.#withStep(event.step, (step) => this.#stopped(event.step, step, event.reason));
      case "step.skipped":
        return this.#withStep(event.step, (step) => this.#skipped(event.step, step, event.reason));
      case "steps.skipped":
        return this.#withSteps(event.steps, (index, step) => this.#skipped(index, step, event.reason));
      case "steps.cancelled":
        return this.#withSteps(event.steps, (index, step) => this.#stopped(index, step, event.reason));
      default:
        return this.#ofExecution(event);
    }
  }

  #ofExecution(event: Event): readonly Draft[] {
    switch (event.kind) {
      case "execution.paused":
        return this.#paused({});
      case "execution.parked":
        return this.#paused({ error: event.reason });
      case "execution.resumed":
        return this.#resumed();
      case "execution.reopened":
        this.#isPaused = true;
        this.#unscheduled = sessionSteps(this.#state);
        return this.#resumed();
      case "execution.completed":
        return [{ type: EventType.WorkflowCompleted }];
      case "execution.failed":
        return [{ type: EventType.WorkflowFailed, ...failureFacts(event.failure) }];
      case "execution.cancelled":
        return [{ type: EventType.WorkflowFailed, error: event.reason }];
      default:
        return [];
    }
  }

  #paused(facts: FailureFacts): readonly Draft[] {
    if (this.#isPaused) return [];
    this.#isPaused = true;
    return [{ type: EventType.WorkflowPaused, ...facts }];
  }

  #resumed(): readonly Draft[] {
    if (!this.#isPaused) return [];
    this.#isPaused = false;
    return [{ type: EventType.WorkflowResumed }];
  }

  /** The sessions whose last dependency settled with this event. */
  #scheduled(event: Event): readonly Draft[] {
    if (!SCHEDULING.has(event.kind)) return [];
    const ready = this.#unscheduled.filter((step) => stepStatus(this.#state, step) === "ready");
    if (ready.length === 0) return [];
    this.#unscheduled = this.#unscheduled.filter((step) => !ready.includes(step));
    return ready.map((step) => ({ type: EventType.TaskScheduled, ...this.#names(step, codeStep(this.#state, step)!) }));
  }

  #started(index: number, step: CodeStep): readonly Draft[] {
    this.#scopes.delete(index);
    if (step.role === "session") return this.#sessionStarted(index, step);
    if (step.role !== "merge" || this.#merges.has(step.top)) return [];
    if (step.taskId !== undefined && this.#elsewhere.has(step.taskId)) return [];
    this.#merges.add(step.top);
    this.#escalated.delete(step.top);
    const names = this.#names(index, step);
    const isChecked = hasChecks(this.#state, index, this.#readValue);
    return [
      // A retried workflow may begin with the merge of a task that had failed.
      ...this.#beginTask(names),
      { type: EventType.MergeStarted, ...names },
      ...(isChecked ? [{ type: EventType.MergeWaitingForChecks, ...names }] : []),
    ];
  }

  #sessionStarted(index: number, step: CodeStep): readonly Draft[] {
    const names = this.#names(index, step);
    const sessionId = sessionIdOf(
      this.#state.created!.execution,
      names.taskId ?? step.top,
      attemptCount(this.#state, index),
      step.name,
    );
    const session = { ...names, sessionId };
    this.#escalated.delete(step.top);
    this.#sessions.set(index, { type: EventType.SessionCreated, ...session });
    return [
      ...this.#beginTask(names),
      { type: EventType.SessionCreated, ...session },
      { type: EventType.SessionExecuting, ...session },
    ];
  }

  #completed(index: number, step: CodeStep, output: Value): readonly Draft[] {
    if (step.role === "claim" && !this.#scopes.has(index)) this.#elsewhere.add(step.taskId ?? "");
    // A merge in a chain of fixes reports its failure as its output.
    const json = step.role === "merge" && !this.#scopes.has(index) ? jsonOf(output, this.#readValue) : undefined;
    const failed = json === undefined ? undefined : failedMergeFacts(json);
    return failed === undefined ? this.#succeeded(index, step) : this.#mergeFailed(index, step, failed);
  }

  #succeeded(index: number, step: CodeStep): readonly Draft[] {
    if (step.role === "prepare") return [{ type: EventType.WorkflowStarted }];
    const isMergeEnd = step.role === "merge" && step.isTop;
    return [
      ...this.#endSession(index, EventType.SessionCompleted, {}),
      ...(isMergeEnd ? this.#endMerge(index, step, EventType.MergeCompleted, {}) : []),
      ...(isMergeEnd || this.#fixes.has(index) ? this.#endTask(index, step, EventType.TaskCompleted, {}) : []),
    ];
  }

  #retried(index: number, step: CodeStep, failure: Failure): readonly Draft[] {
    const facts = failureFacts(failure);
    const detected = this.#detected(index, step, facts);
    const ended = this.#endSession(index, EventType.SessionTerminated, facts);
    // The agent has reached a limit, and the session is put off: nothing has failed.
    if (failure.isUncounted === true) return ended;
    return [...ended, detected, { ...detected, type: EventType.RetryAttempt }];
  }

  #failed(index: number, step: CodeStep, failure: Failure): readonly Draft[] {
    const facts = failureFacts(failure);
    const isScope = this.#scopes.has(index);
    // A scope fails because of a child, which has its own event.
    const detected = isScope ? [] : [this.#detected(index, step, facts)];
    const isMergeEnd = step.role === "merge" && (step.isTop || !isScope);
    const isTaskEnd = step.isTop || this.#fixes.has(index);
    return [
      ...this.#endSession(index, EventType.SessionTerminated, facts),
      ...(isMergeEnd ? this.#endMerge(index, step, EventType.MergeFailed, facts) : []),
      ...detected,
      ...(isTaskEnd ? this.#endTask(index, step, EventType.TaskFailed, facts) : []),
      ...(step.isTop ? this.#escalate(index, step, facts) : []),
    ];
  }

  #escalate(index: number, step: CodeStep, facts: FailureFacts): readonly Draft[] {
    // The question to a person was this escalation; its refusal is not another one.
    if (this.#escalated.delete(step.top)) return [];
    return [{ type: EventType.ErrorEscalated, ...this.#names(index, step), ...facts }];
  }

  #expanded(index: number, step: CodeStep, { children }: Event & { readonly kind: "step.expanded" }): readonly Draft[] {
    this.#scopes.add(index);
    const ids = children.kind === "steps" ? children.steps.map(({ id }) => String(id)) : [];
    // A session whose agent asks a question has not failed; it goes on with the answer.
    if (step.role === "session") return this.#endSession(index, EventType.SessionTerminated, {});
    if (step.role !== "merge") return [];
    if (ids.includes("escalation"))
      return this.#mergeFailed(index, step, openedMergeFacts(this.#state, step.name, ids));
    return ids.includes("approval") ? [{ type: EventType.MergeWaitingForApproval, ...this.#names(index, step) }] : [];
  }

  #mergeFailed(index: number, step: CodeStep, { fix, ...facts }: FailedMergeFacts): readonly Draft[] {
    return [
      ...this.#endMerge(index, step, EventType.MergeFailed, facts),
      this.#detected(index, step, facts),
      ...(fix === undefined ? [] : this.#fixCreated(index, step, fix, facts)),
    ];
  }

  #fixCreated(index: number, step: CodeStep, fix: FixFacts, facts: FailureFacts): readonly Draft[] {
    const fixStep = findFixStep(this.#state, step.name, fix.fixNumber);
    if (fixStep === undefined) return [];
    const { fixTaskId, originalTaskId } = fix;
    this.#fixes.set(fixStep, { taskId: fixTaskId, originalTaskId });
    return [
      { type: EventType.FixTaskCreated, ...this.#names(index, step), originalTaskId, fixTaskId, ...facts },
      { type: EventType.TaskScheduled, taskId: fixTaskId, originalTaskId },
    ];
  }

  /** A person is asked: about a merge that cannot be repaired, or by an agent. An approval of a merge has its own event. */
  #asked(index: number, step: CodeStep, wait: Wait): readonly Draft[] {
    if (wait.kind !== "approval" || step.name.endsWith("/approval")) return [];
    this.#escalated.add(step.top);
    const error = wait.message === undefined ? {} : { error: wait.message };
    return [{ type: EventType.ErrorEscalated, ...this.#names(index, step), ...error }];
  }

  /** The step was stopped: its session, its merge and its task end without an error of their own. */
  #stopped(index: number, step: CodeStep, reason: string): readonly Draft[] {
    const facts = { error: reason };
    const isTask = step.isTop || this.#fixes.has(index);
    return [
      ...this.#endSession(index, EventType.SessionTerminated, facts),
      ...(step.role === "merge" && step.isTop ? this.#endMerge(index, step, EventType.MergeFailed, facts) : []),
      ...(isTask ? this.#endTask(index, step, EventType.TaskFailed, facts) : []),
    ];
  }

  #skipped(index: number, step: CodeStep, reason: SkipReason): readonly Draft[] {
    switch (reason.kind) {
      case "condition":
      case "disabled":
      case "skipped-by-handler":
        return this.#succeeded(index, step);
      case "failing":
        return this.#stopped(index, step, reason.message);
      case "dependency-failed":
      case "fallback-unused":
        return this.#stopped(index, step, "a step that it depends on failed");
    }
  }

  #endSession(index: number, type: EventType, facts: FailureFacts): readonly Draft[] {
    const session = this.#sessions.get(index);
    this.#sessions.delete(index);
    return session === undefined ? [] : [{ ...session, type, ...facts }];
  }

  #endMerge(index: number, step: CodeStep, type: EventType, facts: FailureFacts): readonly Draft[] {
    return this.#merges.delete(step.top) ? [{ type, ...this.#names(index, step), ...facts }] : [];
  }

  #beginTask(names: TaskNames): readonly Draft[] {
    if (names.taskId === undefined || this.#tasks.has(names.taskId)) return [];
    this.#tasks.add(names.taskId);
    return [EventType.TaskClaimed, EventType.TaskStarted].map((type) => ({ type, ...names }));
  }

  #endTask(index: number, step: CodeStep, type: EventType, facts: FailureFacts): readonly Draft[] {
    const names = this.#names(index, step);
    if (names.taskId === undefined || !this.#tasks.delete(names.taskId)) return [];
    return [{ type, ...names, ...facts }];
  }

  #detected(index: number, step: CodeStep, facts: FailureFacts): Draft {
    const session = this.#sessions.get(index);
    return { ...(session ?? this.#names(index, step)), type: EventType.ErrorDetected, ...facts };
  }

  /** The task of a step: the fix that the step belongs to, or the task at the top. */
  #names(index: number, { role, taskId }: CodeStep): TaskNames {
    if (role === "session")
      for (let step = index; step >= 0; step = parentStep(this.#state, step)) {
        const fix = this.#fixes.get(step);
        if (fix !== undefined) return fix;
      }
    return taskId === undefined ? {} : { taskId };
  }

  #withStep(index: number, derive: (step: CodeStep) => readonly Draft[]): readonly Draft[] {
    const step = codeStep(this.#state, index);
    return step === undefined ? [] : derive(step);
  }

  #withSteps(
    ranges: readonly (readonly [number, number])[],
    derive: (index: number, step: CodeStep) => readonly Draft[],
  ): readonly Draft[] {
    const drafts: (readonly Draft[])[] = [];
    for (const [from, to] of ranges)
      for (let index = from; index <= to; index++) drafts.push(this.#withStep(index, (step) => derive(index, step)));
    return drafts.flat();
  }
}
