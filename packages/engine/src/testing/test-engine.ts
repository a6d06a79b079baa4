// An engine for tests: in memory, in virtual time, with scripted agents and simulated crashes.

import { SegnoError, type Definition, type Json } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { Engine } from "../api/engine.ts";
import type { EngineOptions } from "../api/engine-options.ts";
import type { StartArguments, StartOptions } from "../inbox/start-options.ts";
import type { ExecutionHandle } from "../api/execution-handle.ts";
import { invalidOption } from "../checks/option-error.ts";
import { checkOptions, isObject, type Rule } from "../checks/option-rules.ts";
import type { BuiltWorkflow } from "../registry/registry.ts";
import { functionAgent, type Agent, type GivenAgent } from "../agents/agent.ts";
import type { Store } from "../store/store.ts";
import type { StoreAdmin } from "../store/store-admin.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { toMilliseconds, type Duration } from "./duration.ts";
import { inspectEngine } from "./inspect-engine.ts";
import { RealWork } from "./real-work.ts";
import { Script } from "./script.ts";
import { VirtualEnvironment, VirtualTime } from "./virtual-environment.ts";

/** All options of `Engine.open` except those that the test engine provides: its store and its clock. */
export interface TestEngineOptions extends Omit<EngineOptions, "agents" | "store" | "file" | "environment"> {
  /** The agents by name: functions, objects or scripts. They replace those that workflows bring under these names. */
  readonly agents?: Readonly<Record<string, GivenAgent | Script>>;
}

/**
 * Opens an engine in memory, whose time passes only when the test advances it.
 *
 * @example
 * ```ts
 * import { agent, workflow } from "segno";
 * import { fail, openTestEngine, script, succeed } from "segno/testing";
 *
 * const pay = workflow("pay")
 *   .step("charge", agent<number>("charge"))
 *   .output(({ outputs }) => outputs.charge);
 *
 * await using test = await openTestEngine({ agents: { charge: script([fail("busy"), succeed(42)]) } });
 * const { id } = await test.start(pay);
 * await test.advance("2s"); // the retry is due
 * await test.crash(); // the process dies, and another one continues
 * console.log(await (await test.get(id)).result()); // 42
 * ```
 */
export async function openTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  checkTestOptions(options);
  const test = new TestEngine(options);
  await test.reopen();
  return test;
}

/** An engine in memory whose time the test controls. `openTestEngine` makes one. */
export class TestEngine implements AsyncDisposable {
  readonly #options: TestEngineOptions;
  readonly #realWork = new RealWork(() => this.#hasRunningFunctions());
  readonly #time = new VirtualTime(this.#realWork);
  readonly #store = new MemoryStore();
  /** The agents that play scripts: they do no I/O. */
  readonly #players = new WeakSet<Agent>();
  #environment: VirtualEnvironment | undefined;
  #engine: Engine | undefined;

  constructor(options: TestEngineOptions) {
    this.#options = options;
  }

  /** The current engine; every crash replaces it. */
  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("the process has crashed; `reopen` it first");
    return this.#engine;
  }

  /** The current virtual time, in milliseconds since 1970. */
  get now(): number {
    return this.#time.now;
  }

  /** Starts an execution, as `engine.start` does. */
  async start<Given, Output>(
    workflow: BuiltWorkflow<Given, Output>,
    ...rest: StartArguments<NoInfer<Given>>
  ): Promise<ExecutionHandle<Output>>;
  async start(
    workflow: Definition | BuiltWorkflow | string,
    input?: Json,
    options?: StartOptions,
  ): Promise<ExecutionHandle>;
  async start(
    workflow: Definition | BuiltWorkflow | string,
    input: Json = null,
    options: StartOptions = {},
  ): Promise<ExecutionHandle> {
    this.#realWork.look();
    return this.engine.start(workflow as Definition, input, options);
  }

  /** A handle on an existing execution, as `engine.get` returns it. */
  async get(id: string): Promise<ExecutionHandle> {
    return this.engine.get(id);
  }

  /**
   * Advances time, and runs all work that becomes due. While functions of steps are in the middle of real I/O, no virtual
   * time passes; one call waits up to 5 s for them.
   */
  async advance(duration: Duration): Promise<void> {
    await this.#time.advance(elapsedMs(duration));
  }

  /** Sets the wall clock forward, or back with a negative number of milliseconds. No time passes. */
  async shiftClock(ms: number): Promise<void> {
    this.#time.shiftClock(ms);
    await this.#time.advance(0);
  }

  /** Waits for all work that needs no virtual time, including real I/O of functions, for up to 5 s. */
  async untilIdle(): Promise<void> {
    await this.#time.untilIdle();
  }

  /**
   * Crashes the process now: durable data stays, and the rest is lost. A new engine opens, unless `stayDead` is set.
   * When it resolves, the new engine has already continued.
   */
  async crash(options: { readonly stayDead?: boolean } = {}): Promise<void> {
    if (!isObject(options)) throw invalidOption("options", "an object", options);
    checkOptions("a crash", options, { stayDead: FLAG });
    this.#environment?.crash();
    this.#engine = undefined;
    if (options.stayDead !== true) await this.reopen();
  }

  /** Opens an engine after a crash with `stayDead`. It continues the unfinished executions. */
  async reopen(): Promise<void> {
    const environment = new VirtualEnvironment(this.#time);
    this.#environment = environment;
    const { agents = {}, ...rest } = this.#options;
    this.#realWork.look();
    this.#engine = await Engine.open({
      ...(rest.logger === undefined ? { unwatchedFailures: "ignore" } : {}),
      ...rest,
      agents: Object.fromEntries(Object.entries(agents).map(([name, each]) => [name, this.#play(each, environment)])),
      store: withoutClose(this.#store),
      environment,
    });
    await this.#time.untilIdle();
  }

  #play(agent: GivenAgent | Script, environment: VirtualEnvironment): GivenAgent {
    if (!(agent instanceof Script)) return agent;
    const player = functionAgent((input, context) => agent.play(input, context, (ms) => environment.sleep(ms)));
    this.#players.add(player);
    return player;
  }

  /** Commands, and agents that wait for processes which the engine owns, may take as long as they like. */
  #hasRunningFunctions(): boolean {
    if (this.#engine === undefined) return false;
    for (const { attempts } of inspectEngine(this.#engine).all())
      for (const { mainThreadAgent, handle } of attempts.values()) {
        const isFunction = mainThreadAgent !== undefined && !this.#players.has(mainThreadAgent);
        if (isFunction && handle?.processesExited === undefined) return true;
      }
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine?.close();
  }
}

const FLAG: Rule = { expected: "true or false", fits: (value) => typeof value === "boolean" };

/** The engine checks the other options when it opens. */
function checkTestOptions(options: TestEngineOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  const { agents } = options;
  if (agents !== undefined && !isObject(agents))
    throw invalidOption("agents", "an object of functions, agents or scripts, by their names", agents);
  for (const own of ["store", "file", "environment"])
    if (Object.hasOwn(options, own))
      throw new SegnoError(
        "OPTION_INVALID",
        `a test engine has no option \`${own}\`: it provides its own store and clock`,
      );
}

function elapsedMs(duration: Duration): number {
  try {
    const ms = toMilliseconds(duration);
    // `1.001s` is 1001 ms, although the floating-point product is not exact.
    return typeof duration === "string" && !Number.isInteger(ms) ? Math.round(ms * 1000) / 1000 : ms;
  } catch (cause) {
    throw new SegnoError("OPTION_INVALID", thrownMessage(cause), { cause });
  }
}

/** The store of one process: closing it does not close the shared store. */
function withoutClose(store: MemoryStore): Store & StoreAdmin {
  return {
    documents: store.documents,
    commit: (batch) => store.commit(batch),
    load: (id) => store.load(id),
    loadLast: (id) => store.loadLast(id),
    contents: (request) => store.contents(request),
    find: (query) => store.find(query),
    post: (message, waitingMax) => store.post(message, waitingMax),
    poll: (query) => store.poll(query),
    quarantine: (id, reason) => store.quarantine(id, reason),
    release: (id) => store.release(id),
    examine: (id) => store.examine(id),
    remove: (id) => store.remove(id),
    removePayloads: (id, redact, at) => store.removePayloads(id, redact, at),
    removeEnded: (before, limit) => store.removeEnded(before, limit),
    sweepKeys: (before, limit) => store.sweepKeys(before, limit),
    close: async () => undefined,
  };
}
