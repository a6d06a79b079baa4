// The client of a server: a method for each thing that the API can do.

import type { Event, Json, StepArtifact } from "@segno/kernel";

import { bodyLines } from "../http/body-lines.ts";
import { Connection, readJson, type ClientOptions } from "../http/connection.ts";
import type {
  ApiCommandResult,
  ApiExecution,
  ApiExecutionPage,
  ApiListedExecution,
  ApiListFilter,
  ApiStart,
} from "../model/api-execution.ts";
import type { ApiApproval, ApiEvent, ApiLogLine, ApiLogPage, ApiWaiting } from "../model/api-inspection.ts";
import type { ApiEngineState, ApiTokenOwner, ApiWorkflow, ApiWorkflowDefinition } from "../model/api-server.ts";
import type {
  AbortOptions,
  ApiCancelOptions,
  ApiEventsOptions,
  ApiLogPageOptions,
  ApiLogsOptions,
  ApiRetryOptions,
  ApiStartOptions,
  ApiVote,
} from "../model/call-options.ts";
import { followEvents } from "./follow-events.ts";
import { followLogs } from "./follow-logs.ts";
import { jsonLines } from "./json-lines.ts";
import { newId } from "./new-id.ts";
import { executionPath } from "./paths.ts";

/** A request line has at most 16 kB. */
const HASHES_A_REQUEST = 50;

/** Starts, inspects and controls the executions of a server. Works wherever there is `fetch`, also in a browser. */
export class SegnoClient {
  readonly #connection: Connection;
  readonly #reconnectMs: number | undefined;

  constructor(options: ClientOptions) {
    this.#connection = new Connection(options);
    this.#reconnectMs = options.reconnectMs;
  }

  /**
   * Starts an execution of a workflow that the server offers. With `wait` it resolves when the execution has ended, or when
   * the time is over. Only a start with an idempotency key is sent again when the server is busy.
   */
  async start(workflow: string, input: Json = null, options: ApiStartOptions = {}): Promise<ApiStart> {
    const { idempotencyKey, wait, traceparent, signal, ...fields } = options;
    const response = await this.#connection.send({
      method: "POST",
      path: "/v1/executions",
      body: { workflow, input, ...fields },
      headers: {
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": `"${idempotencyKey}"` }),
        ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
        ...(traceparent === undefined ? {} : { traceparent }),
      },
      isRepeatable: idempotencyKey !== undefined,
      signal,
    });
    const isReplayed = response.headers.get("idempotency-replayed") === "true";
    return { execution: await readJson(response), isEnded: response.status === 200, isReplayed };
  }

  /** An execution: its status, its input and output, and its steps. */
  get(id: string, { signal }: AbortOptions = {}): Promise<ApiExecution> {
    return this.#connection.json({ path: executionPath(id), signal });
  }

  /** All executions that match, oldest first. Pages are read as the iteration needs them. */
  async *list(filter: ApiListFilter = {}): AsyncGenerator<ApiListedExecution> {
    let cursor: string | undefined;
    do {
      const page: ApiExecutionPage = await this.listPage(filter, cursor);
      yield* page.executions;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** One page of executions. The filter stays the same from page to page. */
  listPage(filter: ApiListFilter = {}, cursor?: string): Promise<ApiExecutionPage> {
    const { status, labels, ...rest } = filter;
    const label = labels === undefined ? undefined : Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    return this.#connection.json({
      path: "/v1/executions",
      query: { ...rest, status: status?.join(","), label, cursor },
    });
  }

  /** Removes an execution that has ended, with its journal, values and logs. */
  async remove(id: string): Promise<void> {
    await this.#connection.send({ method: "DELETE", path: executionPath(id) });
  }

  /** Cancels an execution. */
  cancel(id: string, options: ApiCancelOptions = {}): Promise<ApiCommandResult> {
    return this.#post(executionPath(id, "cancel"), options);
  }

  /** Starts no further step until `resume`. */
  pause(id: string): Promise<ApiCommandResult> {
    return this.#post(executionPath(id, "pause"), {});
  }

  /** Continues a paused or parked execution. */
  resume(id: string): Promise<ApiCommandResult> {
    return this.#post(executionPath(id, "resume"), {});
  }

  /** Runs again what failed. */
  retry(id: string, options: ApiRetryOptions = {}): Promise<ApiCommandResult> {
    return this.#post(executionPath(id, "retry"), options);
  }

  /** Sends a signal. It counts once by its id; the client makes one if it is absent. */
  signal(
    id: string,
    name: string,
    payload: Json = null,
    options: { readonly id?: string } = {},
  ): Promise<ApiCommandResult> {
    const body = { payload, id: options.id ?? newId() };
    return this.#post(executionPath(id, "signals", name), body, true);
  }

  /** Votes on an approval, in the name of the token. */
  vote(id: string, vote: ApiVote): Promise<ApiCommandResult> {
    return this.#post(executionPath(id, "votes"), { ...vote, id: vote.id ?? newId() }, true);
  }

  /** Explains what an execution, or one of its steps, waits for. */
  async why(id: string, step?: string): Promise<readonly ApiWaiting[]> {
    const path = executionPath(id, "why");
    const { waiting } = await this.#connection.json<{ waiting: readonly ApiWaiting[] }>({ path, query: { step } });
    return waiting;
  }

  /** The events that are in the journal now, oldest first. */
  async *journal(id: string, { after, signal }: ApiEventsOptions = {}): AsyncGenerator<Event> {
    const path = executionPath(id, "journal");
    const headers = { accept: "application/x-ndjson" };
    const response = await this.#connection.send({ path, query: { after }, headers, signal });
    yield* jsonLines<Event>(bodyLines(response, { signal }));
  }

  /**
   * The events of an execution, past and future, until it ends. A lost connection is opened again, and the events go on after
   * the last one that came: none is missing and none comes twice. The iteration also ends when the signal aborts.
   */
  events(id: string, options: ApiEventsOptions = {}): AsyncGenerator<ApiEvent> {
    return followEvents(this.#connection, id, options, this.#reconnectMs);
  }

  /** The log lines of an execution. With `follow` they go on until it ends, also after a lost connection. */
  logs(id: string, options: ApiLogsOptions = {}): AsyncGenerator<ApiLogLine> {
    return followLogs(this.#connection, id, options, this.#reconnectMs);
  }

  /** A range of log lines, with the number of all lines that match. */
  logPage(id: string, options: ApiLogPageOptions = {}): Promise<ApiLogPage> {
    const { signal, ...query } = options;
    return this.#connection.json({ path: executionPath(id, "logs"), query: { ...query }, signal });
  }

  /** The complete output of a step, or of the execution. Rejects with `OUTPUT_MISSING` if there is none. */
  output(id: string, step?: string): Promise<Json> {
    return this.#connection.json({ path: executionPath(id, "output"), query: { step } });
  }

  /** The files that the steps have kept, or those of one step. */
  async artifacts(id: string, step?: string): Promise<readonly StepArtifact[]> {
    const path = executionPath(id, "artifacts");
    const { artifacts } = await this.#connection.json<{ artifacts: readonly StepArtifact[] }>({
      path,
      query: { step },
    });
    return artifacts;
  }

  /** The bytes of a file that a step has kept. */
  async artifact(id: string, step: string, path: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const headers = { accept: "application/octet-stream" };
    const response = await this.#connection.send({
      path: executionPath(id, "artifact"),
      query: { step, path },
      headers,
    });
    return response.body!;
  }

  /** Values of an execution that lie beside its journal, by hash. A value that the store does not have is absent. */
  async values(id: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Json>> {
    const found = new Map<string, Json>();
    for (let first = 0; first < hashes.length; first += HASHES_A_REQUEST) {
      const { values } = await this.#connection.json<{ values: Readonly<Record<string, Json>> }>({
        path: executionPath(id, "values"),
        query: { hash: hashes.slice(first, first + HASHES_A_REQUEST) },
      });
      for (const [hash, value] of Object.entries(values)) found.set(hash, value);
    }
    return found;
  }

  /** All approvals that wait, those of the oldest executions first. */
  async *approvals(): AsyncGenerator<ApiApproval> {
    let cursor: string | undefined;
    do {
      const page: { readonly approvals: readonly ApiApproval[]; readonly cursor?: string } =
        await this.#connection.json({ path: "/v1/approvals", query: { cursor } });
      yield* page.approvals;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** The workflows that the server offers, by name. */
  async workflows(): Promise<readonly ApiWorkflow[]> {
    const { workflows } = await this.#connection.json<{ workflows: readonly ApiWorkflow[] }>({ path: "/v1/workflows" });
    return workflows;
  }

  /** A workflow that the server offers, with its definition. */
  workflow(name: string): Promise<ApiWorkflowDefinition> {
    return this.#connection.json({ path: `/v1/workflows/${encodeURIComponent(name)}` });
  }

  /** The definition with this hash: of a workflow that the server offers, or of one that an execution has used. */
  definition(hash: string): Promise<Json> {
    return this.#connection.json({ path: `/v1/definitions/${encodeURIComponent(hash)}` });
  }

  /** The work that the server has now, and whether it owns the journal. */
  engine(): Promise<ApiEngineState> {
    return this.#connection.json({ path: "/v1/engine" });
  }

  /** The name and the scopes of the token of this client. */
  caller(): Promise<ApiTokenOwner> {
    return this.#connection.json({ path: "/v1/caller" });
  }

  #post(path: string, body: object, isRepeatable = false): Promise<ApiCommandResult> {
    return this.#connection.json({ method: "POST", path, body, isRepeatable });
  }
}
