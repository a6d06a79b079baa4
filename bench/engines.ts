// The engines of tasks: what the words of tasks cost over the engine's own. Both run the same graph of functions that do
// nothing, without a store, with as much room; the engine keeps to dependencies, the tasks to levels.

import { Engine } from "@segno/engine";
import { ParallelEngine, WorkflowDefinition } from "segno/engines";
import { contest } from "./contest.ts";
import { AGENTS, makeGraph, run } from "./engine-workflows.ts";
import { figure, ms, type Figure } from "./figure.ts";
import { layeredGraph, type LayeredGraph } from "./layered-graph.ts";
import { stallNote } from "./stall.ts";

const SLOTS = 1000;
const TIMEOUT_SECONDS = 30;
const nothing = async (): Promise<void> => undefined;

export async function benchEngines(): Promise<readonly Figure[]> {
  const graph = layeredGraph(10_000, 50_000);
  return [await against(graph, SLOTS), await against(graph, undefined)];
}

async function against(graph: LayeredGraph, maxWorkers: number | undefined): Promise<Figure> {
  const definition = makeGraph(graph, TIMEOUT_SECONDS * 1000);
  const workflow = makeTasks(graph);
  await using engine = await Engine.open({ store: "none", agents: AGENTS, limits: { slots: SLOTS } });
  await using engines = new ParallelEngine(maxWorkers === undefined ? {} : { maxWorkers });
  const { oursMs, baselineMs, stallMs } = await contest({
    ours: () => execute(engines, workflow),
    baseline: () => run(engine, definition),
    rounds: 21,
    warmUps: 10,
  });
  return figure(
    `engines: 10,000 tasks, ${maxWorkers ?? "4 (default)"} workers, against \`memory\``,
    oursMs / baselineMs,
    3,
    `${ms(oursMs)} against ${ms(baselineMs)}, ${stallNote(stallMs)}`,
  );
}

function makeTasks({ ids, dependencies }: LayeredGraph): WorkflowDefinition {
  const workflow = new WorkflowDefinition("tasks");
  ids.forEach((name, place) =>
    workflow.addTask(name, nothing, {
      dependencies: dependencies[place]!.map((each) => ids[each]!),
      timeout: TIMEOUT_SECONDS,
    }),
  );
  return workflow;
}

async function execute(engines: ParallelEngine, workflow: WorkflowDefinition): Promise<void> {
  const { success, error } = await engines.execute(workflow);
  if (!success) throw new Error(error ?? "it failed");
}
