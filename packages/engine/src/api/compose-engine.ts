// The composition root: constructs every part of an engine, in the order in which the parts depend on each other.
//
// A part gets the parts above it through its constructor. Where two parts need each other, the later one is connected
// to the earlier one through a small interface, with `connect` or a listener; these calls stand where the later part
// has been constructed.

import { createSchemaCheck } from "@segno/contract";
import { openAttemptRuntime } from "../attempts/attempt-runtime.ts";
import { Dispatcher } from "../attempts/dispatcher.ts";
import { CallbackLimit } from "../checks/callback-limit.ts";
import { givenOptions } from "../checks/option-rules.ts";
import { RecordedAges } from "../clock/recorded-ages.ts";
import { SystemEnvironment } from "../clock/system-environment.ts";
import { Timers } from "../clock/timers.ts";
import { Bus } from "../events/bus.ts";
import { engineLogger, executionWarnings, faultReports, logEvents } from "../events/engine-logger.ts";
import { Evictor } from "../executions/evictor.ts";
import { Executions } from "../executions/executions.ts";
import { FaultHandler } from "../executions/fault-handler.ts";
import { Journals } from "../executions/journals.ts";
import { LiveExecutions } from "../executions/live-executions.ts";
import { Loader } from "../executions/loader.ts";
import { ParkedExecutions } from "../executions/parked-executions.ts";
import { Reconciler } from "../executions/reconciler.ts";
import { Shutdown } from "../executions/shutdown.ts";
import { Keys, storedKeys } from "../idempotency/keys.ts";
import { ProcessKeys } from "../idempotency/process-keys.ts";
import { CommandSender } from "../inbox/command-sender.ts";
import { ExecutionStarter } from "../inbox/execution-starter.ts";
import { InboxPoller } from "../inbox/inbox-poller.ts";
import { Resumption } from "../inbox/resumption.ts";
import { StartCapacity } from "../inbox/start-capacity.ts";
import { StoreAccess } from "../inbox/store-access.ts";
import { OwnershipLoop } from "../ownership/ownership-loop.ts";
import { Recovery } from "../ownership/recovery.ts";
import { Retention } from "../ownership/retention.ts";
import { InputCheck } from "../registry/input-check.ts";
import { Registry } from "../registry/registry.ts";
import { Masker } from "../secrets/masker.ts";
import { AdmissionController } from "../turn/admission-controller.ts";
import { Committer } from "../turn/committer.ts";
import { Publisher } from "../turn/publisher.ts";
import { TurnLoop } from "../turn/turn-loop.ts";
import { AdmissionExplainer } from "../why/admission-explainer.ts";
import { openExtensions } from "./engine-extensions.ts";
import { EngineLifecycle } from "./engine-lifecycle.ts";
import { ENGINE_LIMITS, type StoredOptions } from "./engine-options.ts";
import type { EngineParts } from "./engine-parts.ts";
import { EngineWorkflows } from "./engine-workflows.ts";
import { ExecutionQueries } from "./execution-queries.ts";
import { StoreMaintenance } from "./store-maintenance.ts";
import { Subscriptions } from "./subscriptions.ts";

export function composeEngine(options: StoredOptions): EngineParts {
  const base = composeBase(options);
  const turns = composeTurns(options, base);
  const executions = composeExecutions(options, base, turns);
  const owner = composeOwner(options, base, turns, executions);
  return composeApi(options, base, turns, executions, owner);
}

/** Time, faults, events and the registry: parts that know nothing of executions in memory. */
function composeBase(options: StoredOptions) {
  const { environment = new SystemEnvironment() } = options;
  const limits = { ...ENGINE_LIMITS, ...givenOptions(options.limits ?? {}) };
  const masker = new Masker();
  const logger = engineLogger(options, environment, masker);
  const faults = faultReports(options, logger, environment, masker);
  const { report } = faults;
  const timers = new Timers(environment);
  const callbacks = new CallbackLimit(options.callbackTimeoutMs, (ms, call) => timers.after(ms, call));
  const bus = new Bus(environment, callbacks, (error) => report(error, undefined));
  if (options.logger !== undefined) logEvents(bus, logger);
  const registry = new Registry(options.strategy === "sequential");
  const check = createSchemaCheck();
  return { environment, limits, masker, logger, faults, report, timers, callbacks, bus, registry, check };
}

type Base = ReturnType<typeof composeBase>;

/** How steps are admitted, run and committed. */
function composeTurns(options: StoredOptions, base: Base) {
  const { store } = options;
  const { environment, limits, masker, logger, report, timers, callbacks, bus, registry, check } = base;
  const warnings = executionWarnings(options, logger);
  const runtime = openAttemptRuntime(options, {
    environment,
    logger,
    masker,
    limit: callbacks,
    workflow: (name) => registry.workflow(name)?.program,
    report: (error) => report(error, undefined),
  });
  const admission = new AdmissionController({
    limits,
    options,
    clock: environment,
    timers,
    report,
    onResourceLeaked: ({ execution, step }, resource) => warnings.onResourceLeaked(execution, step, resource),
  });
  const dispatcher = new Dispatcher({ store, environment, registry, runtime, timers, admission });
  const committer = new Committer(store, environment, () => runtime.runner.commitDelayTicks);
  const journals = new Journals({ store, environment, registry, report, journalMax: limits.journal });
  const loop = new TurnLoop({
    environment,
    committer,
    admission,
    timers,
    runner: dispatcher,
    storage: journals,
    check,
  });
  admission.connect(loop);
  const publisher = new Publisher({ bus, store, report, onParked: warnings.onParked });
  return { runtime, admission, dispatcher, committer, journals, loop, publisher };
}

type Turns = ReturnType<typeof composeTurns>;

/** The executions in memory: loaded, evicted, and reconciled after a fault. */
function composeExecutions({ store }: StoredOptions, base: Base, turns: Turns) {
  const { environment, limits, report, timers, registry } = base;
  const { runtime, dispatcher, committer, journals, loop } = turns;
  const live = new LiveExecutions({
    environment,
    timers,
    isDurable: journals.isDurable,
    liveMax: limits.liveExecutions,
  });
  const parked = new ParkedExecutions({ environment, live, loop, runner: dispatcher, parts: runtime });
  registry.onRegistered(() => parked.onRegistered());
  const loader = new Loader({ environment, journals, live, loop, parked });
  const evictor = new Evictor({ live, loop, loader, attempts: dispatcher, report });
  const reconciler = new Reconciler({ store, environment, timers, journals, loop, evictor });
  const faultHandler = new FaultHandler({ live, timers, journals, evictor, reconciler, report });
  const executions = new Executions({ timers, journals, committer, live, loop, loader, evictor });
  return { live, evictor, reconciler, faultHandler, executions };
}

type Memory = ReturnType<typeof composeExecutions>;

/** The store as its owner uses it: messages are polled, executions recovered, old data removed. */
function composeOwner(options: StoredOptions, base: Base, turns: Turns, memory: Memory) {
  const { store, mode, resume } = options;
  const { environment, limits, report, timers } = base;
  const { runtime, committer, loop, publisher } = turns;
  const { live, evictor, faultHandler, executions } = memory;
  const access = new StoreAccess({
    store,
    isReadOnly: mode === "readOnly",
    inboxMax: limits.inbox,
    executions,
  });
  const ages = new RecordedAges(environment);
  const keys = new Keys(store.keepsExecutions === false ? new ProcessKeys() : storedKeys(store), ages);
  const resumption = new Resumption(resume);
  const inboxPoller = new InboxPoller({ store, environment, executions, committer, keys, resumption, report });
  evictor.connect(inboxPoller);
  loop.connect({
    onEvents: (execution, events) => publisher.publish(execution, events),
    onMessagesTaken: (messages) => inboxPoller.ack(messages),
    onIdle: (execution) => executions.onIdle(execution),
    onEnded: (execution) => executions.onEnded(execution),
    onFault: (execution, error) => faultHandler.onFault(execution, error),
  });
  const processes = runtime;
  const recovery = new Recovery({ access, environment, executions, inboxPoller, resumption, processes, report });
  const capacity = new StartCapacity({ live, evictor: recovery, liveMax: limits.liveExecutions });
  live.connect(capacity);
  const retention = new Retention({ options, access, ages, timers });
  const ownershipLoop = new OwnershipLoop({
    options,
    access,
    executions,
    inboxPoller,
    recovery,
    retention,
    report,
  });
  return { access, keys, resumption, inboxPoller, capacity, ownershipLoop };
}

type Owner = ReturnType<typeof composeOwner>;

/** The parts that the public methods of an engine call. */
function composeApi(options: StoredOptions, base: Base, turns: Turns, memory: Memory, owner: Owner): EngineParts {
  const { store } = options;
  const { environment, limits, faults, callbacks, bus, registry, check } = base;
  const { runtime, admission, dispatcher, journals } = turns;
  const { reconciler, executions } = memory;
  const { access, keys, resumption, inboxPoller, capacity, ownershipLoop } = owner;
  const reconstruction = { store, journals, limits, scheduling: options, clock: environment };
  const explainer = new AdmissionExplainer({ executions, admission, reconstruction });
  const queries = new ExecutionQueries({ access, environment, executions, bus, logs: runtime.logs, explainer });
  const commands = new CommandSender({ access, environment, executions, resumption, check });
  const starter = new ExecutionStarter({ access, environment, registry, executions, keys, capacity, resumption });
  const inputs = new InputCheck(check, callbacks);
  const workflows = new EngineWorkflows({ registry, inputs, admission, starter });
  workflows.registerAll(options);
  const shutdown = new Shutdown({ environment, admission, executions, attempts: dispatcher, runner: runtime.runner });
  const closables = [
    executions,
    callbacks,
    { close: () => bus.flush() },
    { close: () => environment.alarm(undefined, () => undefined) },
    capacity,
  ];
  return {
    workflows,
    handles: { queries, commands, environment },
    subscriptions: new Subscriptions(bus, runtime.logs),
    maintenance: new StoreMaintenance({ access, environment, executions, inboxPoller }),
    runtime,
    extensions: openExtensions({ executions, admission }, store),
    lifecycle: new EngineLifecycle({ access, ownershipLoop, shutdown, closables, runtime, reconciler, faults }),
  };
}
