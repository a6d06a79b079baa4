// The composition root: constructs every part of an engine, in the order in which the parts depend on each other.
//
// A part gets the parts above it through its constructor. Where two parts need each other, the later one is connected
// to the earlier one through a small interface, with `connect` or a listener; these calls stand where the later part
// has been constructed. Each function below returns the parts so far and its own.

import { createSchemaCheck } from "@segno/contract";
import { ArtifactFolder, artifactFolderOf } from "../artifacts/artifact-folder.ts";
import { AttemptArtifacts } from "../attempts/attempt-artifacts.ts";
import { AttemptLogs, logsIn } from "../attempts/attempt-logs.ts";
import { mayReachPrivate, secretSource } from "../attempts/attempt-options.ts";
import { AttemptProcesses } from "../attempts/attempt-processes.ts";
import { AttemptRuntime } from "../attempts/attempt-runtime.ts";
import { AttemptSecrets } from "../attempts/attempt-secrets.ts";
import { AttemptTelemetry } from "../attempts/attempt-telemetry.ts";
import { Dispatcher } from "../attempts/dispatcher.ts";
import { OutcomeRecorder } from "../attempts/outcome-recorder.ts";
import { ModuleAgents } from "../attempts/module-agents.ts";
import { CallbackLimit } from "../checks/callback-limit.ts";
import { givenOptions } from "../checks/option-rules.ts";
import { RecordedAges } from "../clock/recorded-ages.ts";
import { SystemEnvironment } from "../clock/system-environment.ts";
import { Timers } from "../clock/timers.ts";
import { Bus } from "../events/bus.ts";
import { engineLogger, executionWarnings, faultReports, logEvents } from "../events/engine-logger.ts";
import { ConsoleCapture } from "../events/console-capture.ts";
import type { FaultReports } from "../events/fault-reports.ts";
import { Evictor } from "../executions/evictor.ts";
import { Executions } from "../executions/executions.ts";
import { FaultHandler } from "../executions/fault-handler.ts";
import { Journals } from "../executions/journals.ts";
import { LiveExecutions } from "../executions/live-executions.ts";
import { Loader } from "../executions/loader.ts";
import { ParkedExecutions } from "../executions/parked-executions.ts";
import { Reconciler } from "../executions/reconciler.ts";
import { Shutdown } from "../executions/shutdown.ts";
import { strategyLoading } from "../executions/strategy-loading.ts";
import { Keys, storedKeys } from "../idempotency/keys.ts";
import { ProcessKeys } from "../idempotency/process-keys.ts";
import { CommandSender } from "../inbox/command-sender.ts";
import { ExecutionStarter } from "../inbox/execution-starter.ts";
import { InboxPoller } from "../inbox/inbox-poller.ts";
import { Resumption } from "../inbox/resumption.ts";
import { StartCapacity } from "../inbox/start-capacity.ts";
import { StoreAccess } from "../inbox/store-access.ts";
import { LogWriter } from "../logs/log-writer.ts";
import { ProgressWriter } from "../logs/progress-writer.ts";
import { MetricsParts } from "../metrics/metrics-parts.ts";
import { OwnershipLoop } from "../ownership/ownership-loop.ts";
import { Recovery } from "../ownership/recovery.ts";
import { Retention } from "../ownership/retention.ts";
import { InputCheck } from "../registry/input-check.ts";
import { Registry } from "../registry/registry.ts";
import { FailureCallbacks } from "../runners/failure-callbacks.ts";
import { MainThreadRunner } from "../runners/main-thread-runner.ts";
import { HttpRunner } from "../runners/http/http-runner.ts";
import { INHERITED_ENV_NAMES, inheritedEnv } from "../runners/process/child-env.ts";
import { inheritedSecrets } from "../runners/process/inherited-secrets.ts";
import { ProcessRunner } from "../runners/process/process-runner.ts";
import { SharedByTrees } from "../runners/process/shared-by-trees.ts";
import { Runners } from "../runners/runners.ts";
import { ThreadRunner } from "../runners/thread/thread-runner.ts";
import { NamedSecrets } from "../secrets/named-secrets.ts";
import { Masker } from "../secrets/masker.ts";
import { recordsIn } from "../store/process-records.ts";
import { Tracing } from "../tracing/tracing.ts";
import { AdmissionController } from "../turn/admission-controller.ts";
import { Committer } from "../turn/committer.ts";
import { Publisher } from "../turn/publisher.ts";
import { TurnLoop } from "../turn/turn-loop.ts";
import { EngineSinks } from "../sinks/engine-sinks.ts";
import { AdmissionExplainer } from "../why/admission-explainer.ts";
import { EngineDocuments } from "./engine-documents.ts";
import { openExtensions } from "./engine-extensions.ts";
import { engineGauges, sinkMetrics } from "./engine-gauges.ts";
import { EngineLifecycle } from "./engine-lifecycle.ts";
import { ENGINE_LIMITS, type StoredOptions } from "./engine-options.ts";
import type { EngineParts } from "./engine-parts.ts";
import { EngineWorkflows } from "./engine-workflows.ts";
import { ExecutionQueries } from "./execution-queries.ts";
import { StoreMaintenance } from "./store-maintenance.ts";
import { Subscriptions } from "./subscriptions.ts";

/** The number of executions that a sink reads at once when it looks for undelivered events. */
const SINK_PAGE = 200;

export function composeEngine(options: StoredOptions): EngineParts {
  const base = composeBase(options);
  const attempts = composeAttempts(options, base);
  const turns = composeTurns(options, attempts);
  const executions = composeExecutions(options, turns);
  const owner = composeOwner(options, executions);
  return composeApi(options, owner);
}

/** Time, faults, events and the registry: parts that know nothing of executions. */
function composeBase(options: StoredOptions) {
  const { environment = new SystemEnvironment() } = options;
  const limits = { ...ENGINE_LIMITS, ...givenOptions(options.limits ?? {}) };
  const masker = new Masker();
  const maskText = (text: string): string => masker.text(text);
  const logger = engineLogger(options, environment, masker);
  const faults = faultReports(options, logger, environment, masker);
  const metrics = new MetricsParts((error) => faults.report(error, undefined));
  const report: FaultReports["report"] = (error, execution) => {
    metrics.faults.onFault(error);
    faults.report(error, execution);
  };
  const timers = new Timers(environment);
  const callbacks = new CallbackLimit(options.callbackTimeoutMs, (ms, call) => timers.after(ms, call));
  const bus = new Bus(environment, callbacks, (error) => report(error, undefined));
  if (options.logger !== undefined) logEvents(bus, logger);
  const registry = new Registry(options.strategy === "sequential");
  const checkSchema = createSchemaCheck();
  return {
    environment,
    limits,
    masker,
    maskText,
    logger,
    faults,
    metrics,
    report,
    timers,
    callbacks,
    bus,
    registry,
    check: checkSchema,
  };
}

/** The surroundings of attempts: secrets, logs, modules, and a runner for each kind of action. */
function composeAttempts(options: StoredOptions, base: ReturnType<typeof composeBase>) {
  const { store, storeId, cwd = process.cwd(), inheritEnv = [], failures = {}, http = {} } = options;
  const { environment, masker, maskText, logger, callbacks, registry } = base;
  const report = (error: unknown): void => base.report(error, undefined);
  const inheritedNames = [...INHERITED_ENV_NAMES, ...inheritEnv];
  const env = inheritedEnv([...inheritedNames, "NODE_*"], process.env);
  const trees = new SharedByTrees({ records: recordsIn(store), report });
  const isShared = storeId !== undefined;
  const maskAlways = (values: readonly string[]): void => void masker.hold(values);
  maskAlways(inheritedSecrets(inheritEnv, process.env));
  const processIdentity = { storeId: storeId ?? environment.id(), isShared };
  const processes = new AttemptProcesses({ ...processIdentity, trees, inheritedNames, maskAlways });
  const modules = new ModuleAgents(cwd);
  const source = secretSource(options.secrets);
  const secrets = new AttemptSecrets({ clock: environment, registry, source, masker, callbacks });
  const namedSecrets = new NamedSecrets(source, masker, callbacks.ms);
  const failureCallbacks = new FailureCallbacks(failures, { callbackLimit: callbacks, report, maskText });
  const stepLogs = logsIn(store);
  const logWriter = new LogWriter({ environment, later: callbacks.startTimer, store: stepLogs, mask: masker, report });
  const progressWriter = new ProgressWriter({ later: callbacks.startTimer, store: stepLogs, report });
  const logs = new AttemptLogs(logWriter, progressWriter, logger, masker);
  const capture = new ConsoleCapture({
    masker,
    hasLogs: stepLogs !== undefined,
    isShown: options.functionOutput !== "log",
    addLate: (attempt, text) => logs.appendLate(attempt, text),
  });
  const { classify } = failureCallbacks;
  const runner = new Runners({
    mainThread: new MainThreadRunner(environment, { classify, capture, limit: callbacks }),
    workerThreads: new ThreadRunner({ eventLoop: environment, modules, classify, report }, { env }),
    processes: new ProcessRunner({ eventLoop: environment, cwd, inheritedNames, trees }),
    http: new HttpRunner({ clock: environment, report, startTimer: callbacks.startTimer, ...http }),
  });
  const artifacts = new ArtifactFolder(
    options.journalFile === undefined ? undefined : artifactFolderOf(options.journalFile),
  );
  const outcomes = new OutcomeRecorder(new AttemptArtifacts(artifacts, cwd, base.limits), failureCallbacks, masker);
  const runtime = new AttemptRuntime({ runners: runner, modules, processes, secrets, masker, logs, outcomes });
  return { ...base, artifacts, processes, modules, secrets, namedSecrets, logWriter, progressWriter, runner, runtime };
}

/** How steps are admitted and run, and how turns are committed. */
function composeTurns(options: StoredOptions, parts: ReturnType<typeof composeAttempts>) {
  const { store } = options;
  const {
    environment,
    limits,
    logger,
    report,
    timers,
    callbacks,
    bus,
    registry,
    check: checkSchema,
    runner,
    runtime,
  } = parts;
  const warnings = executionWarnings(options, logger);
  const admission = new AdmissionController({
    limits,
    options,
    clock: environment,
    timers,
    report,
    onHeldByLingering: ({ execution, step }, resource) => warnings.onHeldByLingering(execution, step, resource),
  });
  const tracing = new Tracing((error) => report(error, undefined));
  const dispatcher = new Dispatcher(
    {
      store,
      clock: environment,
      registry,
      runtime,
      timers,
      admission,
      limits: { callbackMs: callbacks.ms, recordedCalls: limits.recordedCalls },
    },
    new AttemptTelemetry({ metrics: parts.metrics.attempts, tracing }),
  );
  const committer = new Committer(store, environment, () => runner.commitDelayTicks, parts.metrics.commits);
  const journals = new Journals({ store, environment, registry, report, journalMax: limits.journal });
  const loop = new TurnLoop({
    environment,
    committer,
    admission,
    timers,
    dispatcher,
    storage: journals,
    checkSchema,
  });
  admission.connect(loop);
  const publisher = new Publisher({ bus, store, report, onParked: warnings.onParked });
  return { ...parts, warnings, admission, dispatcher, committer, journals, loop, publisher };
}

/** The executions in memory: loaded, evicted, and reconciled after a fault. */
function composeExecutions({ store, http = {}, strategy }: StoredOptions, parts: ReturnType<typeof composeTurns>) {
  const { environment, limits, report, timers, callbacks, registry, modules, secrets } = parts;
  const { dispatcher, committer, journals, loop } = parts;
  const { hasStore } = journals;
  const { onUnwatchedFailure } = parts.warnings;
  const live = new LiveExecutions({
    environment,
    timers,
    hasStore,
    liveMax: limits.liveExecutions,
    onUnwatchedFailure,
  });
  const prerequisites = { mayReachPrivate: mayReachPrivate(http), modules, secrets };
  const parked = new ParkedExecutions({
    environment,
    timers,
    live,
    loop,
    dispatcher,
    prerequisites,
  });
  registry.onRegistered(() => parked.onRegistered());
  const loadStrategy = strategyLoading(strategy, { store, callbacks, report });
  const loader = new Loader({ environment, journals, live, loop, parked, loadStrategy });
  const evictor = new Evictor({ live, loop, loader, attempts: dispatcher, report });
  const reconciler = new Reconciler({ store, environment, timers, journals, loop, evictor });
  const faultHandler = new FaultHandler({ live, timers, journals, evictor, reconciler, report });
  const executions = new Executions({ timers, journals, committer, live, loop, loader, evictor });
  return { ...parts, live, parked, evictor, reconciler, faultHandler, executions };
}

/** The store as its owner uses it: messages are polled, executions recovered, old data removed. */
function composeOwner(options: StoredOptions, parts: ReturnType<typeof composeExecutions>) {
  const { store, mode, resume } = options;
  const { environment, limits, maskText, metrics, report, timers, processes, committer, loop, publisher } = parts;
  const { live, parked, evictor, faultHandler, executions } = parts;
  const access = new StoreAccess({ store, isReadOnly: mode === "readOnly", inboxMax: limits.inbox, executions });
  const ages = new RecordedAges(environment);
  const keys = new Keys(store.keepsExecutions === false ? new ProcessKeys() : storedKeys(store), ages);
  const resumption = new Resumption(resume);
  const inboxPoller = new InboxPoller(
    { store, environment, executions, committer, keys, resumption, report },
    maskText,
  );
  evictor.connect(inboxPoller);
  access.connect(inboxPoller);
  loop.connect({
    onEvents: (execution, events) => {
      metrics.events.onEvents(execution.state, events);
      publisher.publish(execution, events);
    },
    onMessagesConsumed: (messages) => inboxPoller.ack(messages),
    onIdle: (execution) => {
      executions.onIdle(execution);
      parked.onIdle(execution);
    },
    onEnded: (execution) => executions.onEnded(execution),
    onFault: (execution, error) => faultHandler.onFault(execution, error),
  });
  const recovery = new Recovery({ access, environment, executions, inboxPoller, resumption, processes, report });
  const capacity = new StartCapacity({ live, evictor: recovery, liveMax: limits.liveExecutions });
  live.connect(capacity);
  const retention = new Retention({ options, access, ages, timers, artifacts: parts.artifacts });
  const ownershipLoop = new OwnershipLoop({
    options,
    access,
    executions,
    inboxPoller,
    recovery,
    retention,
    report,
  });
  return { ...parts, access, keys, resumption, inboxPoller, capacity, ownershipLoop };
}

/** The parts that the public methods of an engine call. */
function composeApi(options: StoredOptions, parts: ReturnType<typeof composeOwner>): EngineParts {
  const { store, journalFile } = options;
  const {
    environment,
    limits,
    maskText,
    faults,
    callbacks,
    bus,
    registry,
    check: checkSchema,
    logWriter,
    progressWriter,
    runner,
    runtime,
  } = parts;
  const { processes } = parts;
  const { admission, dispatcher, journals, reconciler, executions } = parts;
  const { access, keys, resumption, inboxPoller, capacity, ownershipLoop } = parts;
  const reconstruction = { store, journals, limits, scheduling: options, clock: environment };
  const explainer = new AdmissionExplainer({ executions, admission, reconstruction });
  const { artifacts } = parts;
  const queries = new ExecutionQueries({ access, environment, executions, bus, logs: logWriter, explainer, artifacts });
  const commands = new CommandSender({ access, environment, executions, resumption, maskText, checkSchema });
  const starter = new ExecutionStarter({ access, environment, registry, executions, keys, capacity, resumption });
  const inputs = new InputCheck(checkSchema, callbacks);
  const workflows = new EngineWorkflows({ registry, inputs, admission, starter });
  workflows.registerAll(options);
  const documents = store.documents === undefined ? undefined : new EngineDocuments(store.documents, access);
  const shutdown = new Shutdown({ environment, admission, executions, attempts: dispatcher, runner });
  const extensionPorts = {
    store,
    documents,
    processes,
    secrets: parts.namedSecrets,
    journalFile,
    metrics: parts.metrics.registry,
  };
  const sinks = composeSinks(options, parts, queries);
  const outputs = { bus, sinks, faults };
  const { metrics, live } = parts;
  metrics.registry.add(() => engineGauges({ admission, live, bus, slots: limits.slots }));
  metrics.registry.add(() => sinkMetrics(sinks.metrics));
  const stoppable = [
    executions,
    callbacks,
    metrics.eventLoopDelay,
    { close: () => bus.flush() },
    { close: () => environment.alarm(undefined, () => undefined) },
    capacity,
  ];
  return {
    workflows,
    handles: { queries, commands, environment },
    subscriptions: new Subscriptions(bus, logWriter, progressWriter, { sinks, metrics: metrics.registry }),
    maintenance: new StoreMaintenance({ access, environment, executions, inboxPoller, keys, artifacts }),
    runtime,
    extensions: openExtensions({ executions, admission }, extensionPorts),
    lifecycle: new EngineLifecycle({ access, ownershipLoop, shutdown, stoppable, runtime, reconciler, outputs }),
  };
}

/** The sinks get all events, and deliver while this process owns the store. */
function composeSinks(
  options: StoredOptions,
  { access, bus, environment, executions, maskText, namedSecrets, report }: ReturnType<typeof composeOwner>,
  queries: ExecutionQueries,
): EngineSinks {
  const sinks = new EngineSinks(options.sinks ?? [], {
    history: {
      read: (id, after) => queries.history(id, after),
      list: (cursor) => options.store.find({ limit: SINK_PAGE, ...(cursor === undefined ? {} : { cursor }) }),
    },
    journalFile: options.journalFile,
    mask: maskText,
    now: () => environment.now(),
    secret: (name) => namedSecrets.read(name),
    report: (error) => report(error, undefined),
  });
  if (sinks.isEmpty) return sinks;
  bus.subscribe({}, (batch) => sinks.onEvents(batch));
  executions.onOwned(() => sinks.start());
  // An engine that closes delivers the last events first.
  executions.onReleased(() => {
    if (!access.isClosed) sinks.stop();
  });
  return sinks;
}
