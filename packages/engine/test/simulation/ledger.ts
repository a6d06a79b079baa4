// The ledger: folds durable data independently, and checks claims that must always hold.
//
//   I1. Every block follows the one before, and every event is a transition of the table (checked by the kernel's
//       fold).
//   I2. A result belongs to the attempt that it ends, and an attempt ends once.
//   I3. An attempt is started in the world at most once, and not before its start is durable (JOURNAL-1).
//   I4. A message is taken once, and its command has taken effect when it is taken (LEASE-5).
//   I5. A key maps to one execution at a time (IDEM-1).
//   I6. An attempt after a failure starts no earlier than its backoff says (FAIL-3).
//   I7. An attempt gets the input that it was created with, before and after a recovery.
//   I8. A call runs the definition that its name had at the start of the execution (CONTRACT-8).
//   I9. A step of a sequential workflow begins when all steps before it in the plan have ended (SCHED-5).
//   I10. A recorded call is not made again, and returns the durable value (STATE-14).

import {
  attemptCount,
  compiledStep,
  createState,
  executionStatus,
  fold,
  isTerminalStatus,
  readEvent,
  stepCount,
  stepEpoch,
  stepName,
  type ContentHash,
  type Event,
  type ExecutionId,
  type Json,
  type Program,
  type State,
  type StepStatus,
  type Value,
} from "@segno/kernel";
import type { Append, CommitBatch, MessageId, NewMessage } from "../../src/store/store.ts";
import type { StepContext } from "../../src/agents/step-context.ts";
import { hashJson } from "../../src/journal/block-encoding.ts";
import { parseCommand, type Command } from "../../src/inbox/command.ts";
import { executionTransition, statusBefore, type Coverage } from "./coverage.ts";
import { brokenTurn } from "./line-claim.ts";
import { phaseName } from "./state-image.ts";

export interface Account {
  readonly id: ExecutionId;
  readonly state: State;
  key: string | undefined;
  head: string;
  /** Steps that had asked for admission, by sequence number of the journal, where this was observed. */
  readonly askedAt: Map<number, ReadonlySet<number>>;
  /** The steps that had asked when the current block was decided. */
  asked: ReadonlySet<number>;
}

interface Run {
  readonly execution: ExecutionId;
  readonly step: number;
  readonly epoch: number;
}

export class Ledger {
  readonly accounts: Map<ExecutionId, Account> = new Map();
  /** If the clock goes back, any start may look early. */
  isClockSteady = true;
  readonly #programs: ReadonlyMap<ContentHash, Program>;
  readonly #coverage: Coverage;
  readonly #fail: (claim: string) => void;
  readonly #runs = new Map<number, Run>();
  readonly #started = new Set<string>();
  readonly #posted = new Map<MessageId, NewMessage>();
  readonly #taken = new Set<MessageId>();
  /** Receives each durable block, in order, for the trace. */
  readonly onBlock: (hash: string) => void;

  constructor(
    programs: ReadonlyMap<ContentHash, Program>,
    coverage: Coverage,
    fail: (claim: string) => void,
    onBlock: (hash: string) => void,
  ) {
    this.#programs = programs;
    this.#coverage = coverage;
    this.#fail = fail;
    this.onBlock = onBlock;
  }

  get untaken(): readonly { readonly id: MessageId; readonly execution: ExecutionId }[] {
    return [...this.#posted].filter(([id]) => !this.#taken.has(id)).map(([id, { execution }]) => ({ id, execution }));
  }

  /** The posted commands to an execution that nobody has taken, without its start. */
  untakenCommands(execution: ExecutionId): readonly MessageId[] {
    const isCommand = (id: MessageId): boolean => {
      const command = parseCommand(this.#posted.get(id)!.body);
      return command !== undefined && command.kind !== "start";
    };
    return this.untaken.filter((each) => each.execution === execution && isCommand(each.id)).map(({ id }) => id);
  }

  /**
   * Whether something of it is durable: the execution, or a message for it if the store was lost before it was created.
   */
  isKnown(id: ExecutionId): boolean {
    return this.accounts.has(id) || this.untaken.some(({ execution }) => execution === id);
  }

  posted(id: MessageId, message: NewMessage): void {
    this.#posted.set(id, message);
  }

  committed(batch: CommitBatch): void {
    const ended = new Set(
      [...this.accounts.values()].filter(({ state }) => isTerminalStatus(state.baseStatus)).map(({ id }) => id),
    );
    for (const append of batch.appends) if (this.#append(append)) ended.add(append.execution);
    for (const id of batch.consumedMessages) this.#take(id, ended);
  }

  /** Returns whether it ended in this append, even if it was retried in the same block. */
  #append(append: Append): boolean {
    let account = this.accounts.get(append.execution);
    if (account === undefined) account = this.#open(append);
    if (append.block === undefined) return false;
    let hasEnded = false;
    account.asked = account.askedAt.get(append.afterSeq) ?? new Set();
    account.askedAt.clear();
    this.onBlock(append.block.hash);
    for (const line of append.block.body.split("\n")) {
      const read = readEvent(JSON.parse(line) as Json);
      if (read.kind === "event") this.#fold(account, read.event);
      else this.#fail(`I1 ${append.execution} has an unreadable event: ${read.message}`);
      hasEnded ||= isTerminalStatus(account.state.baseStatus);
    }
    account.head = append.block.hash;
    return hasEnded;
  }

  #open(append: Append): Account {
    const { execution: id, projection, idempotency } = append;
    const program = this.#programs.get(projection.definition)!;
    const account: Account = {
      id,
      state: createState(program, this.#programs),
      key: idempotency?.key,
      head: "",
      askedAt: new Map(),
      asked: new Set(),
    };
    if (idempotency !== undefined) this.#checkKey(idempotency.key, projection.createdAt);
    this.accounts.set(id, account);
    return account;
  }

  #checkKey(key: string, now: number): void {
    for (const other of this.accounts.values()) {
      if (other.key !== key) continue;
      const { baseStatus, at } = other.state;
      // A failed execution released its key; it could not be known that it was retried meanwhile.
      if (wentOn(other.state)) continue;
      if (!isTerminalStatus(baseStatus) || (baseStatus === "completed" && now - at <= 600_000))
        this.#fail(`I5 the key ${key} stands for a second execution while ${other.id} is ${baseStatus}`);
    }
  }

  #fold(account: Account, event: Event): void {
    const { state, id } = account;
    const before = executionStatus(state);
    const steps = touched(state, event);
    const froms = steps.map((step) => phaseName(state, step));
    const statuses = steps.map((step, index) =>
      statusBefore(state, step, froms[index]!, event, account.asked.has(step)),
    );
    this.#checkWhose(account, event);
    this.#checkCalled(account, event);
    const wrong = brokenTurn(state, event);
    if (wrong !== undefined) this.#fail(`I9 ${id}: ${wrong}`);
    try {
      fold(state, event);
    } catch (error) {
      return this.#fail(`I1 ${id} event ${event.seq} ${event.kind}: ${(error as Error).message}`);
    }
    const after = executionStatus(state);
    if (event.kind.startsWith("execution.")) this.#coverage.count(executionTransition(before, event, after));
    if (event.kind === "execution.reopened") return this.#coverReopened(account, event);
    steps.forEach((step, index) => this.#cover(state, step, froms[index]!, statuses[index]!, event));
  }

  #checkCalled({ id, state }: Account, event: Event): void {
    if (event.kind !== "step.expanded" || event.children.kind !== "workflow") return;
    const { action } = compiledStep(state, event.step).definition;
    const reference = action.kind === "workflow" ? action.workflow : undefined;
    const known = state.created?.workflows?.find(({ workflow }) => workflow === reference);
    if (known !== undefined && known.definition !== event.children.definition)
      this.#fail(`I8 ${id} calls another \`${known.workflow}\` than it began with`);
  }

  #coverReopened({ state }: Account, event: Event): void {
    for (const [step, status] of this.#beforeReopening) {
      const to = phaseName(state, step);
      if (to !== status) this.#coverage.count(`step ${status} ${event.kind} ${to}`);
    }
  }

  #beforeReopening: ReadonlyMap<number, StepStatus> = new Map();

  #cover(state: State, step: number, from: StepStatus, status: StepStatus, event: Event): void {
    const to = phaseName(state, step);
    if (from === to && event.kind !== "steps.cancelling") return;
    this.#coverage.count(`step ${status} ${event.kind} ${event.kind === "step.lost" ? "ready" : to}`);
    if (event.kind !== "step.started") return;
    this.#coverage.count(
      from === "retrying" ? "step retrying backoff over queued" : "step ready admission requested queued",
    );
    if (from === "waiting") this.#coverage.count("step waiting dependencies met ready");
  }

  /** I2: the run of the result; I6: the backoff. */
  #checkWhose({ id, state }: Account, event: Event): void {
    if (event.kind === "execution.reopened")
      this.#beforeReopening = new Map(
        Array.from({ length: stepCount(state) }, (_, step) => [step, phaseName(state, step)]),
      );
    if (!("step" in event) || event.step === undefined) return;
    const last = state.phaseEvents[event.step];
    if (this.isClockSteady && event.kind === "step.started" && last?.kind === "step.retried" && event.at < last.dueAt)
      this.#fail(`I6 ${id} step ${event.step} starts ${last.dueAt - event.at} ms before its backoff is over`);
    const mark = readMark(event);
    const run = mark === undefined ? undefined : this.#runs.get(mark);
    // A scope ends with the output of one of its children; its run was checked when the child ended.
    if (run === undefined || phaseName(state, event.step) === "open") return;
    const epoch = stepEpoch(state, event.step);
    if (run.execution !== id || run.step !== event.step || run.epoch !== epoch)
      this.#fail(
        `I2 ${id} step ${event.step} under epoch ${epoch} ends with the result of run ${mark}, ` +
          `which was ${run.execution} step ${run.step} under epoch ${run.epoch}`,
      );
  }

  /** Called when an agent was called. */
  begun(run: number, context: StepContext): void {
    const { attempt } = context;
    const [execution, name] = [context.execution.id, context.step.id];
    const account = this.accounts.get(execution as ExecutionId);
    const step = account === undefined ? undefined : findIndex(account.state, name);
    if (account === undefined || step === undefined)
      return this.#fail(`I3 ${execution} ${name} runs, but nothing of it is durable`);
    const epoch = stepEpoch(account.state, step);
    const attempts = attemptCount(account.state, step);
    const phase = phaseName(account.state, step);
    if ((phase !== "running" && phase !== "cancelling") || attempts !== attempt)
      this.#fail(`I3 ${execution} ${name} runs attempt ${attempt}, but is ${phase} at attempt ${attempts}`);
    const key = `${execution} ${step} ${epoch}`;
    if (this.#started.has(key)) this.#fail(`I3 ${execution} ${name} runs twice under epoch ${epoch}`);
    this.#started.add(key);
    this.#runs.set(run, { execution: account.id, step, epoch });
    this.#checkInput(account, step, context.input);
  }

  /** I10. */
  called(context: StepContext, name: string): void {
    if (this.#recordedValue(context, name) !== undefined)
      this.#fail(`I10 ${context.execution.id} ${context.step.id} makes the call ${name}, which is recorded`);
  }

  /** I10. */
  returned(context: StepContext, name: string, value: Json): void {
    const recorded = this.#recordedValue(context, name);
    if (recorded === undefined || JSON.stringify(inlineJson(recorded)) !== JSON.stringify(value))
      this.#fail(`I10 ${context.execution.id} ${context.step.id} gets another value from ${name} than its journal has`);
  }

  #recordedValue({ execution, step }: StepContext, name: string): Value | undefined {
    const account = this.accounts.get(execution.id as ExecutionId);
    const index = account === undefined ? undefined : findIndex(account.state, step.id);
    return index === undefined ? undefined : account!.state.recordedCalls.get(index)?.get(name)?.value;
  }

  /** I7: a step without its own input gets that of its workflow, even if that is stored outside the journal. */
  #checkInput({ id, state }: Account, step: number, input: Json): void {
    const given = inputOfWorkflow(state, step);
    if (given === undefined || compiledStep(state, step).definition.input !== undefined) return;
    const isGiven =
      given.kind === "stored"
        ? hashJson(input) === given.hash
        : JSON.stringify(input) === JSON.stringify(inlineJson(given));
    if (!isGiven) this.#fail(`I7 ${id} step ${step} runs with another input than its workflow's`);
  }

  #take(id: MessageId, ended: ReadonlySet<ExecutionId>): void {
    if (this.#taken.has(id)) this.#fail(`I4 message ${id} was taken twice`);
    this.#taken.add(id);
    const message = this.#posted.get(id);
    const command = message === undefined ? undefined : parseCommand(message.body);
    if (message !== undefined && command !== undefined && !ended.has(message.execution))
      this.#checkTaken(message, command);
  }

  /** A start that was posted twice: the other message will count. */
  #isPostedAgain(execution: ExecutionId): boolean {
    return this.untaken.some(({ id }) => {
      const other = this.#posted.get(id)!;
      return other.execution === execution && parseCommand(other.body)?.kind === "start";
    });
  }

  /** A start whose key maps to another execution creates none. */
  #isJoined(key: string | undefined): boolean {
    return key !== undefined && [...this.accounts.values()].some((account) => account.key === key);
  }

  #checkTaken({ execution }: NewMessage, command: Command): void {
    const account = this.accounts.get(execution);
    if (command.kind === "start" && this.#isJoined(command.key)) return;
    const hasCounted = account === undefined ? false : counts(account.state, command);
    if (account === undefined ? command.kind === "start" && !this.#isPostedAgain(execution) : !hasCounted)
      this.#fail(`I4 a posted ${command.kind} for ${execution} was taken and did not count`);
  }
}

/** The index of a step by name. Steps of two rounds may share a name: the running one is meant, or else the newest. */
function findIndex(state: State, name: string): number | undefined {
  const places = Array.from({ length: stepCount(state) }, (_, step) => step).filter(
    (step) => stepName(state, step) === name,
  );
  const isUnderWay = (step: number): boolean => ["running", "cancelling"].includes(phaseName(state, step));
  return places.findLast(isUnderWay) ?? places.at(-1);
}

/**
 * The input of the sub-workflow that contains a step, through any maps and expansions; or that of the execution. A
 * compensation belongs to the workflow of its step.
 */
function inputOfWorkflow({ regions, created }: State, step: number): Value | undefined {
  for (let place = step; place >= 0;) {
    const region = regions.find(({ base, size }) => place >= base && place < base + size)!;
    if (region.kind === "workflow") return region.value;
    place = region.kind === "compensation" ? region.undoes[place - region.base]! : region.parent;
  }
  return created?.input;
}

/** Whether it had ended and continued, with a new round or with an undo. */
export function wentOn({ round, regions }: State): boolean {
  return round > 1 || regions.filter(({ kind }) => kind === "compensation").length > 1;
}

/** Whether the command has taken effect, or can no longer have one. */
export function counts(state: State, command: Command): boolean {
  if (isTerminalStatus(state.baseStatus)) return true;
  switch (command.kind) {
    case "signal":
      return state.signals.seen.has(command.id);
    case "cancel":
      return state.baseStatus === "cancelling";
    case "start":
      return state.created !== undefined;
    // A vote before its step waits, or after its decision, is ignored and leaves no trace.
    case "vote":
    case "pause":
    case "resume":
    case "retry":
      return true;
  }
}

function inlineJson(value: Value): Json {
  return value.kind === "inline" ? value.json : null;
}

/** The steps that an event changes. */
function touched(state: State, event: Event): readonly number[] {
  if (event.kind === "steps.skipped" || event.kind === "steps.cancelled" || event.kind === "steps.cancelling")
    return event.steps.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, offset) => from + offset));
  if (!event.kind.startsWith("step.") || event.kind === "step.failing" || !("step" in event)) return [];
  return event.step === undefined || event.step >= state.phaseEvents.length ? [] : [event.step];
}

/** The number of the run that produced an event's result. */
function readMark(event: Event): number | undefined {
  switch (event.kind) {
    case "step.completed":
      return markIn(event.output);
    case "step.failed":
    case "step.retried":
      return event.failure.code === "SCOPE_FAILED" ? undefined : markIn(event.failure.message);
    case "step.skipped":
      return markIn(event.reason);
    default:
      return undefined;
  }
}

function markIn(value: unknown): number | undefined {
  const found = /#(\d+)#/u.exec(JSON.stringify(value).slice(0, 200));
  return found === null ? undefined : Number(found[1]);
}
