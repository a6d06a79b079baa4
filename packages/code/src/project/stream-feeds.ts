// The streams of the executions that this process runs.
//
//   SD1. A record beside the journal says which streams an execution has and how far they have got. It is written before the
//        first event, so events at the end of an execution that a crash has kept back are fed by the next process.
//   SD2. The record of a completed execution is removed. One that failed may be retried, so its record stays.

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine, SinkOptions, SinkPorts } from "@segno/engine";
import { EVENT_FILE, type EventStream, type ExecutorConfig } from "../config/executor-config.ts";
import { feedStream } from "../events/stream-feed.ts";
import type { StreamPlace } from "../events/stream-place.ts";

/** Options of the event streams of code workflows. */
export interface StreamFeedsOptions extends Pick<SinkPorts, "writeStdout" | "onError"> {
  /** The folder of the journal. The default log file and the records are below it. */
  readonly folder: string;
}

interface FeedRecord {
  readonly streams: readonly EventStream[];
  readonly places: readonly StreamPlace[];
  readonly hasEnded: boolean;
}

const RECORDS = "streams";
const SETTLE_MS = 5000;

export class StreamFeeds {
  readonly #engine: Engine;
  readonly #options: StreamFeedsOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #isClosing = false;

  constructor(engine: Engine, options: StreamFeedsOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Feeds the events of an execution until it ends. An execution that is fed already is left alone. */
  follow(executionId: string, { enabled, streams }: ExecutorConfig["events"]): void {
    if (!enabled || streams.length === 0 || this.#isClosing || this.#running.has(executionId)) return;
    const run = this.#run(executionId, streams)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#running.delete(executionId));
    this.#running.set(executionId, run);
  }

  /** Goes on with the executions whose streams another process did not finish (SD1). The owner of the journal does that. */
  async resume(): Promise<void> {
    if (!this.#engine.isOwner) return;
    const names = await readdir(join(this.#options.folder, RECORDS)).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(".json"))) {
      const executionId = decodeURIComponent(name.slice(0, -".json".length));
      const record = await this.#read(executionId);
      if (record?.hasEnded === false) this.follow(executionId, { enabled: true, streams: record.streams });
    }
  }

  /** Waits for the streams of executions that have ended, for a bounded time. Call it before the engine is closed. */
  async settle(): Promise<void> {
    this.#isClosing = true;
    const ended: Promise<void>[] = [];
    for (const [executionId, run] of this.#running) if (await this.#hasEnded(executionId)) ended.push(run);
    const timer = new AbortController();
    const late = sleep(SETTLE_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.all(ended), late]);
    timer.abort();
    // A server that is down must not keep the process alive; the next process goes on.
    this.#stopping.abort();
  }

  #fail(error: unknown): void {
    // The engine was closed before the execution ended.
    if (!this.#isClosing) this.#options.onError?.(error, 0);
  }

  async #run(executionId: string, streams: readonly EventStream[]): Promise<void> {
    const known = await this.#read(executionId);
    const places = streams.map((_, index): StreamPlace => known?.places[index] ?? {});
    const save = async (hasEnded = false): Promise<void> =>
      await this.#write(executionId, { streams, places, hasEnded });
    await save();
    const saves = serialized(save);
    await Promise.all(
      streams.map(async (stream, index) => {
        await feedStream(this.#engine, {
          executionId,
          stream: this.#toSink(stream),
          place: places[index]!,
          save: (place) => {
            places[index] = place;
            return saves();
          },
          ports: this.#ports(),
          signal: this.#stopping.signal,
        });
      }),
    );
    const { status } = await (await this.#engine.get(executionId)).status();
    if (status === "completed") await rm(this.#path(executionId), { force: true });
    else await save(await this.#hasEnded(executionId));
  }

  async #hasEnded(executionId: string): Promise<boolean> {
    const { status } = await (await this.#engine.get(executionId)).status();
    return status === "completed" || status === "failed" || status === "cancelled";
  }

  #toSink(stream: EventStream): SinkOptions {
    if (stream.type !== "file") return stream;
    const { folder } = this.#options;
    return { ...stream, path: stream.path === EVENT_FILE ? join(folder, "logs/execution.log") : resolve(stream.path) };
  }

  #ports(): SinkPorts {
    const { writeStdout, onError } = this.#options;
    return {
      mask: (text) => this.#engine.mask(text),
      secret: (name) => this.#engine.extensions.readSecret(name),
      ...(writeStdout === undefined ? {} : { writeStdout }),
      ...(onError === undefined ? {} : { onError }),
    };
  }

  async #read(executionId: string): Promise<FeedRecord | undefined> {
    try {
      return JSON.parse(await readFile(this.#path(executionId), "utf8")) as FeedRecord;
    } catch {
      // There is none, or a crash has cut it: a file is then read for its last event.
      return undefined;
    }
  }

  async #write(executionId: string, record: FeedRecord): Promise<void> {
    const file = this.#path(executionId);
    await mkdir(join(this.#options.folder, RECORDS), { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  #path(executionId: string): string {
    return join(this.#options.folder, RECORDS, `${encodeURIComponent(executionId)}.json`);
  }
}

/** Calls run one after the other. Calls that come meanwhile share the next run. */
function serialized(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= running.then(() => {
      next = undefined;
      running = work();
      return running;
    }));
}
