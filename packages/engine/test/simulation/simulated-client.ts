// A random user: starts, commands, crashes and clock changes, and claims about every answer.
//
//   U1. An answer is durable: an accepted start, cancellation or signal is in the journal, a posted one in the inbox.
//   U2. Every promise settles while its process lives.
//   U3. Refusals have a code of the catalogue.
//   U4. Visible data is durable: a status is never ahead of the journal, and a stream has no gaps.

import { isTerminalStatus, notUndoneSteps, SegnoError, type ExecutionId, type Json, type State } from "@segno/kernel";
import { canonicalHash, definitionText } from "../../src/checks/definition-text.ts";
import type { Engine } from "../../src/api/engine.ts";
import type { ExecutionHandle } from "../../src/api/execution-handle.ts";
import type { CommandResult } from "../../src/inbox/command-options.ts";
import type { Command } from "../../src/inbox/command.ts";
import { Acknowledged } from "./acknowledged.ts";
import { counts, wentOn } from "./ledger.ts";
import type { Machine, Simulation } from "./simulation.ts";
import { SIGNALS } from "./workflows.ts";

interface Pending {
  readonly what: string;
  readonly machine: Machine;
  isSettled: boolean;
}

const KEYS = ["key-a", "key-b"];

export class SimulatedClient {
  readonly #simulation: Simulation;
  readonly #pending: Pending[] = [];
  readonly #acknowledged: Acknowledged;
  readonly #ids: string[] = ["unheard-of"];
  #signals = 0;
  #votes = 0;
  #starts = 0;
  #undoings = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#acknowledged = new Acknowledged(simulation.ledger, (claim) => simulation.break(claim));
  }

  /** Plans all user actions until this time. */
  plan(endMs: number): void {
    const { world, chance } = this.#simulation;
    const isPosting = chance.percent(50);
    const deeds = this.#simulation.profile === "plain" ? chance.between(3, 24) : chance.between(12, 36);
    for (let start = chance.between(1, 3); start > 0; start--)
      world.schedule(chance.below(30), "user", () => this.#start(false));
    if (this.#simulation.profile === "storm")
      for (let at = 300; at < 6000; at += chance.between(300, 900)) world.schedule(at, "user", () => this.#crash());
    for (let deed = 0; deed < deeds; deed++) world.schedule(chance.below(endMs), "user", () => this.#do(isPosting));
    const mode = chance.pick(["own", "post"] as const);
    if (isPosting) world.schedule(chance.below(endMs), "user", () => this.#simulation.openPoster(mode));
  }

  /** Whether every live caller has been answered. */
  get isServed(): boolean {
    return this.#pending.every(({ machine, isSettled }) => isSettled || !machine.environment.isAlive);
  }

  /** U2 and U5, at the end. */
  checkSettled(): void {
    for (const { what, machine, isSettled } of this.#pending)
      if (!isSettled && machine.environment.isAlive) this.#simulation.break(`U2 never answered: ${what}`);
    this.#acknowledged.check();
  }

  #do(isPosting: boolean): void {
    const { chance, profile } = this.#simulation;
    const isPosted = isPosting && chance.percent(50);
    if (profile === "fickle" && chance.percent(30)) return this.#pauseAndResume();
    if (profile !== "plain" && chance.percent(60)) return this.#command(isPosted);
    const deed = chance.below(100);
    if (deed < 22) return this.#start(isPosted);
    if (deed < 72) return this.#command(isPosted);
    if (deed < 78) return this.#watch();
    if (deed < 91) return this.#crash();
    if (deed < 94) return this.#close();
    if (deed < 96) return this.#postRubbish();
    return this.#moveClock();
  }

  #machine(isPosted: boolean): (Machine & { readonly engine: Engine }) | undefined {
    const machine = isPosted ? this.#simulation.poster : this.#simulation.owner;
    return machine?.engine === undefined || machine.isClosing ? undefined : (machine as Machine & { engine: Engine });
  }

  /** Tracks a promise: it must settle, and its value is checked at once. */
  #follow<Value>(what: string, machine: Machine, promise: Promise<Value>, check: (value: Value) => void): void {
    const pending: Pending = { what: `${machine.environment.name} ${what}`, machine, isSettled: false };
    this.#simulation.note(`  user: ${pending.what}`);
    this.#pending.push(pending);
    promise.then(
      (value) => {
        pending.isSettled = true;
        if (machine.environment.isAlive) check(value);
      },
      (error: unknown) => {
        pending.isSettled = true;
        this.#simulation.note(`  refused ${pending.what}: ${(error as Error).message}`);
        if (!(error instanceof SegnoError))
          this.#simulation.break(`U3 ${what}: ${(error as Error).stack ?? String(error)}`);
      },
    );
  }

  #start(isSecond: boolean): void {
    const simulation = this.#simulation;
    const { chance } = simulation;
    const machine = this.#machine(isSecond);
    if (machine === undefined) return;
    const isPosted = !machine.engine.isOwner;
    const definition = chance.pick(simulation.workflows.main);
    const input = chance.pick<Json>([{ n: 1 }, { n: 1 }, { n: [1] }, [1, 2], null, { n: 1, big: "y".repeat(66_000) }]);
    const isKnown = chance.percent(8);
    const id = isKnown ? chance.pick(this.#ids) : chance.percent(30) ? `own-${++this.#starts}` : undefined;
    const key = chance.percent(25) ? chance.pick(KEYS) : undefined;
    if (isKnown) simulation.count("start with a known id");
    const options = {
      ...(id === undefined ? {} : { id }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    };
    const before = simulation.ledger.accounts.size;
    const begin = (): void =>
      this.#follow(
        `start ${definition.name} ${id ?? ""} ${key ?? ""}`,
        machine,
        machine.engine.start(definition, input, options),
        (handle) => {
          this.#started(handle, machine, isPosted, before);
          if (key === undefined) this.#acknowledged.onStarted(handle.id as ExecutionId, definition.name);
        },
      );
    begin();
    if (chance.percent(10)) begin();
  }

  #started(handle: ExecutionHandle, machine: Machine, isPosted: boolean, before: number): void {
    const simulation = this.#simulation;
    if (isPosted) simulation.count("start posted");
    else if (!simulation.ledger.isKnown(handle.id as ExecutionId))
      simulation.break(`U1 the start of ${handle.id} was answered, and nothing of it is durable`);
    if (this.#ids.includes(handle.id)) simulation.count("start joined");
    else this.#ids.push(handle.id);
    if (before >= 0 && simulation.chance.percent(30)) this.#await(handle, machine);
  }

  #await(handle: ExecutionHandle, machine: Machine): void {
    const { ledger } = this.#simulation;
    this.#follow(`result of ${handle.id}`, machine, handle.result(), () => {
      const base = ledger.accounts.get(handle.id as ExecutionId)?.state.baseStatus;
      if (base !== "completed") this.#simulation.break(`U1 ${handle.id} gave a result, and is ${base ?? "nowhere"}`);
    });
  }

  #command(isPosted: boolean): void {
    const { chance, ledger } = this.#simulation;
    const machine = this.#machine(isPosted);
    if (machine === undefined) return;
    const id = chance.pick(this.#ids);
    const handle = machine.engine.get(id);
    const command = this.#orUndo(this.#randomCommand(), ledger.accounts.get(id as ExecutionId)?.state);
    const times = chance.percent(10) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const asked = handle.then((found) => send(found, command));
      const onAnswered = this.#acknowledged.onSent(command.kind, id as ExecutionId);
      this.#follow(`${command.kind} ${id}`, machine, asked, (reception) => {
        this.#simulation.note(`  answered ${command.kind} ${id}: ${JSON.stringify(reception)}`);
        if (reception.kind === "posted") return this.#simulation.count("wish posted");
        onAnswered();
        const account = ledger.accounts.get(id as ExecutionId);
        if (reception.kind === "accepted" && (account === undefined || !counts(account.state, command)))
          this.#simulation.break(`U1 ${command.kind} of ${id} was accepted, and nothing of it is durable`);
      });
    }
  }

  /**
   * If a compensation failed, every second retry is an undo. It uses no random number, so other seeds stay the same.
   */
  #orUndo(command: Exclude<Command, { kind: "start" }>, state: State | undefined): Exclude<Command, { kind: "start" }> {
    if (command.kind !== "retry" || state === undefined || notUndoneSteps(state).length === 0) return command;
    return state.baseStatus === "cancelled" || ++this.#undoings % 2 === 1 ? { kind: "retry", undo: true } : command;
  }

  /** Pauses and resumes at the same moment. */
  #pauseAndResume(): void {
    const machine = this.#machine(false);
    if (machine === undefined) return;
    const id = this.#simulation.chance.pick(this.#ids);
    const handle = machine.engine.get(id);
    for (const kind of ["pause", "resume", "pause", "resume"] as const)
      this.#follow(
        `${kind} ${id}`,
        machine,
        handle.then((found) => send(found, { kind })),
        () => undefined,
      );
  }

  #randomCommand(): Exclude<Command, { kind: "start" }> {
    const { chance, profile } = this.#simulation;
    if (profile === "fickle" && chance.percent(70)) return { kind: chance.pick(["pause", "pause", "resume"]) };
    if (profile === "storm" && chance.percent(70)) return { kind: chance.pick(["pause", "pause", "resume"]) };
    if (profile === "repeating" && chance.percent(60)) return { kind: "retry" };
    const kind = chance.below(100);
    if (kind < 22) {
      const graceMs = chance.percent(40) ? chance.pick([0, 50, 2000]) : undefined;
      return {
        kind: "cancel",
        mode: chance.pick(["abort", "drain"]),
        reason: "the user wants it",
        compensate: chance.percent(60),
        ...(graceMs === undefined ? {} : { graceMs }),
      };
    }
    if (kind < 36) return { kind: "pause" };
    if (kind < 54) return { kind: "resume" };
    if (kind < 68) return { kind: "retry" };
    return kind < 88 ? this.#signal() : this.#vote();
  }

  /** Mostly for a step that does not wait for votes; enough votes come at the right time. */
  #vote(): Command & { kind: "vote" } {
    const { chance } = this.#simulation;
    if (this.#votes > 0 && chance.percent(20)) this.#simulation.count("vote twice");
    else this.#votes++;
    return {
      kind: "vote",
      id: `vote-${this.#votes}`,
      step: chance.pick(["s0", "s1", "s2", "s3", "s0/0/m0", "s1/0/m0"]),
      by: chance.pick(["ann", "bob", "cleo"]),
      verdict: chance.pick(["approve", "approve", "approve", "reject", "changes"]),
    };
  }

  #signal(): Command & { kind: "signal" } {
    const { chance } = this.#simulation;
    if (this.#signals > 0 && chance.percent(20)) this.#simulation.count("signal twice");
    else this.#signals++;
    return {
      kind: "signal",
      id: `signal-${this.#signals}`,
      name: chance.pick(SIGNALS),
      payload: chance.pick<Json>([1, "text"]),
    };
  }

  /** U4. */
  #watch(): void {
    const { chance, ledger } = this.#simulation;
    const machine = this.#machine(false);
    if (machine === undefined) return;
    const id = chance.pick(this.#ids);
    const handle = machine.engine.get(id);
    if (chance.percent(50)) return this.#await2(id, machine, handle);
    this.#follow(
      `status of ${id}`,
      machine,
      handle.then((found) => found.status()),
      ({ seq }) => {
        const durable = ledger.accounts.get(id as ExecutionId)?.state.seq ?? 0;
        if (seq > durable) this.#simulation.break(`U4 ${id} is shown at ${seq}, and its journal is at ${durable}`);
      },
    );
  }

  #await2(id: string, machine: Machine, handle: Promise<ExecutionHandle>): void {
    const { ledger } = this.#simulation;
    this.#follow(
      `events of ${id}`,
      machine,
      handle.then((found) => streamed(found)),
      (seqs) => {
        const account = ledger.accounts.get(id as ExecutionId);
        const gap = seqs.findIndex((seq, index) => seq !== index + 1);
        if (gap >= 0) this.#simulation.break(`U4 the stream of ${id} has a gap at ${gap}: ${seqs.join(" ")}`);
        if (account !== undefined && !isTerminalStatus(account.state.baseStatus) && !wentOn(account.state))
          this.#simulation.break(`U4 the stream of ${id} ends at ${seqs.length}, and it goes on`);
      },
    );
  }

  #crash(): void {
    const simulation = this.#simulation;
    const { chance, world, poster, owner } = simulation;
    if (poster !== undefined && chance.percent(20)) return simulation.crash(poster);
    if (owner === undefined) return;
    simulation.count("process crashed");
    simulation.crash(owner);
    if (simulation.owner === undefined)
      world.schedule(
        chance.below(simulation.profile === "storm" ? 100 : 800),
        "restart",
        () => simulation.owner ?? simulation.openOwner(),
      );
  }

  #close(): void {
    const simulation = this.#simulation;
    const { chance, world } = simulation;
    const machine = this.#machine(false);
    if (machine === undefined) return;
    simulation.count("process closed");
    machine.isClosing = true;
    const closing = machine.engine.close(chance.percent(50) ? { drainMs: chance.below(1000) } : {});
    this.#follow("close", machine, closing, () => {
      if (machine.environment.hasAlarm) simulation.break("U2 a closed engine left an alarm behind");
      world.schedule(chance.between(20, 500), "restart", () => {
        // It may have crashed meanwhile; another process was then opened in its place, and no caller is answered.
        if (!machine.environment.isAlive) return;
        this.#checkClosed(machine);
        simulation.crash(machine);
        if (simulation.owner === undefined) simulation.openOwner();
      });
    });
  }

  #checkClosed(machine: Machine): void {
    for (const pending of this.#pending)
      if (!pending.isSettled && pending.machine === machine)
        this.#simulation.break(`U2 the engine was closed, and this was never answered: ${pending.what}`);
  }

  /** Posts a message that no engine wrote. */
  #postRubbish(): void {
    const simulation = this.#simulation;
    const { chance, world, disk } = simulation;
    simulation.count("rubbish posted");
    if (chance.percent(40)) return this.#postUnchecked();
    const body = chance.pick(["", "{", "null", "7", '{"kind":"start"}', '{"kind":"dance"}', '{"kind":"signal"}']);
    void disk.post({ execution: chance.pick(this.#ids) as ExecutionId, body, postedAt: world.clock });
  }

  /** Posts a start from a process that did not check the input. */
  #postUnchecked(): void {
    const { chance, world, disk, workflows } = this.#simulation;
    const definition = chance.pick(workflows.main);
    const body = definitionText(definition);
    const hash = canonicalHash(body);
    const id = `unchecked-${++this.#starts}`;
    const command: Command = {
      kind: "start",
      workflow: definition.name,
      definition: hash,
      input: chance.pick<Json>([null, [1]]),
      seed: 1,
      correlationId: id,
      priority: 0,
    };
    const definitions = [{ hash, body }];
    void disk.post({ execution: id as ExecutionId, body: JSON.stringify(command), postedAt: world.clock, definitions });
    this.#ids.push(id);
  }

  #moveClock(): void {
    const { chance, world } = this.#simulation;
    const isForward = chance.percent(60);
    this.#simulation.count(isForward ? "clock went forward" : "clock went back");
    world.clockOffsetMs += isForward ? chance.pick([50, 5000, 3_600_000]) : -chance.pick([50, 3000]);
  }
}

function send(handle: ExecutionHandle, command: Exclude<Command, { kind: "start" }>): Promise<CommandResult> {
  switch (command.kind) {
    case "cancel": {
      const { kind: _, ...options } = command;
      return handle.cancel(options);
    }
    case "pause":
      return handle.pause();
    case "resume":
      return handle.resume();
    case "retry":
      return handle.retry(command.undo === undefined ? {} : { undo: command.undo });
    case "signal":
      return handle.signal(command.name, command.payload, { id: command.id });
    case "vote": {
      const { by, id, comment = "" } = command;
      return handle[command.verdict === "changes" ? "requestChanges" : command.verdict](command.step, {
        by,
        id,
        comment,
      });
    }
  }
}

async function streamed(handle: ExecutionHandle): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { seq } of handle.events()) seqs.push(seq);
  return seqs;
}
