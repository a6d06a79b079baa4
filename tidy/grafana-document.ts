// docs/grafana-dashboard.json: a dashboard of Grafana for the metrics of an engine, with Prometheus as its data source.

interface Panel {
  readonly title: string;
  readonly unit: "s" | "ops" | "short";
  /** Queries of Prometheus, each with its legend. */
  readonly queries: readonly (readonly [string, string])[];
}

const rate = (name: string, by = ""): string =>
  `sum${by === "" ? "" : ` by (${by})`} (rate(${name}[$__rate_interval]))`;
const quantile = (q: number, name: string): string =>
  `histogram_quantile(${q}, sum by (le) (rate(${name}_bucket[$__rate_interval])))`;
const quantiles = (name: string): Panel["queries"] => [
  [quantile(0.5, name), "p50"],
  [quantile(0.99, name), "p99"],
];

const PANELS: readonly Panel[] = [
  {
    title: "Executions",
    unit: "ops",
    queries: ["started", "completed", "failed", "cancelled"].map((end) => [rate(`workflows_${end}`), end]),
  },
  {
    title: "Failed executions by workflow",
    unit: "ops",
    queries: [[rate("workflows_failed", "workflow"), "{{workflow}}"]],
  },
  { title: "Duration of executions", unit: "s", queries: quantiles("workflow_duration") },
  {
    title: "Steps",
    unit: "ops",
    queries: ["scheduled", "completed", "failed", "skipped", "cancelled"].map((end) => [rate(`tasks_${end}`), end]),
  },
  { title: "Duration of steps", unit: "s", queries: quantiles("task_duration") },
  { title: "Retries by workflow", unit: "ops", queries: [[rate("task_retry_count", "workflow"), "{{workflow}}"]] },
  { title: "Attempts by outcome", unit: "ops", queries: [[rate("segno_attempts_total", "outcome"), "{{outcome}}"]] },
  { title: "Duration of attempts", unit: "s", queries: quantiles("segno_attempt_duration_seconds") },
  {
    title: "Slots and waiting steps",
    unit: "short",
    queries: [
      ["sum(segno_slots_used)", "slots in use"],
      ["sum(segno_slots_max)", "slots"],
      ["sum(segno_steps_waiting)", "waiting steps"],
    ],
  },
  {
    title: "Resources in use",
    unit: "short",
    queries: [["sum by (role, resource) (segno_resource_used)", "{{role}} {{resource}}"]],
  },
  { title: "Duration of commits", unit: "s", queries: quantiles("segno_commit_duration_seconds") },
  {
    title: "Turns in a commit",
    unit: "short",
    queries: [[`${rate("segno_commit_batch_size_sum")} / ${rate("segno_commit_batch_size_count")}`, "mean"]],
  },
  {
    title: "Faults and dropped events",
    unit: "ops",
    queries: [
      [rate("segno_store_faults_total", "code"), "{{code}}"],
      [rate("segno_events_dropped_total"), "dropped events"],
    ],
  },
  {
    title: "Lines of sinks",
    unit: "ops",
    queries: [
      [rate("segno_sink_lines_total", "sink"), "{{sink}} delivered"],
      [rate("segno_sink_dropped_total", "sink"), "{{sink}} lost"],
      [rate("segno_sink_failures_total", "sink"), "{{sink}} failures"],
    ],
  },
  { title: "Lines that sinks still have", unit: "short", queries: [["sum by (sink) (segno_sink_queued)", "{{sink}}"]] },
  { title: "Executions in memory", unit: "short", queries: [["sum(segno_executions_live)", "executions"]] },
  {
    title: "Delay of the event loop",
    unit: "s",
    queries: [["max by (quantile) (segno_event_loop_delay_seconds)", "{{quantile}}"]],
  },
  {
    title: "Sessions and merges of coding agents",
    unit: "short",
    queries: [
      ["sum(sessions_active)", "sessions"],
      [rate("merges_succeeded"), "merges succeeded"],
      [rate("merges_failed"), "merges failed"],
      [rate("errors_by_type", "type"), "{{type}}"],
    ],
  },
];

const DATA_SOURCE = { type: "prometheus", uid: "${datasource}" };
const COLUMNS = 2;
const [WIDTH, HEIGHT] = [12, 8];

export function grafanaDocument(): string {
  const dashboard = {
    title: "Segno",
    uid: "segno",
    tags: ["segno"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: { list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }] },
    panels: PANELS.map(toPanel),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function toPanel({ title, unit, queries }: Panel, index: number): object {
  const [column, row] = [index % COLUMNS, Math.floor(index / COLUMNS)];
  return {
    id: index + 1,
    type: "timeseries",
    title,
    datasource: DATA_SOURCE,
    gridPos: { x: column * WIDTH, y: row * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([expr, legendFormat], query) => ({
      refId: String.fromCodePoint("A".codePointAt(0)! + query),
      datasource: DATA_SOURCE,
      expr,
      legendFormat,
    })),
  };
}
