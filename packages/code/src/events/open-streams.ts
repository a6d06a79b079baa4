// Opens the streams of the configuration: sinks that subscribe to the events of all workflows (CODE-13, EVENT-3).

import { resolve } from "node:path";
import { openSink, type Sink, type SinkOptions, type SinkPorts } from "@segno/engine";
import type { EventStream, ExecutorConfig } from "../config/executor-config.ts";
import type { EventBus } from "./event-bus.ts";
import type { EventPort } from "./event-port.ts";
import { toRecord } from "./event-record.ts";

/** The collaborators of event streams. */
export interface StreamPorts extends Pick<SinkPorts, "mask" | "onError" | "secret"> {
  /** `idle` waits until a subscriber has the events so far; a port that delivers at once has none. */
  readonly events: Pick<EventPort, "subscribe" | "unsubscribe"> & Partial<Pick<EventBus, "idle">>;
  /** Relative paths of files are below this folder. */
  readonly folder: string;
}

/** The open streams of events. */
export interface EventStreams extends AsyncDisposable {
  readonly sinks: readonly Sink[];
  /** Ends the subscriptions and delivers the rest within a bounded time. */
  close(): Promise<void>;
}

/** Opens nothing if events are switched off. */
export function openStreams({ enabled, streams }: ExecutorConfig["events"], ports: StreamPorts): EventStreams {
  const { events } = ports;
  const opened = (enabled ? streams : []).map((stream) => {
    const sink = openSink(toSinkOptions(stream, ports.folder), sinkPorts(ports));
    const subscription = events.subscribe({}, (event) => sink.write(toRecord(event)));
    return { sink, subscription };
  });
  const close = async (): Promise<void> => {
    for (const { subscription } of opened) {
      await events.idle?.(subscription);
      events.unsubscribe(subscription);
    }
    await Promise.all(opened.map(({ sink }) => sink.close()));
  };
  return { sinks: opened.map(({ sink }) => sink), close, [Symbol.asyncDispose]: close };
}

function sinkPorts({ mask, onError, secret }: StreamPorts): SinkPorts {
  return {
    ...(mask === undefined ? {} : { mask }),
    ...(onError === undefined ? {} : { onError }),
    ...(secret === undefined ? {} : { secret }),
  };
}

function toSinkOptions(stream: EventStream, folder: string): SinkOptions {
  return stream.type === "file" ? { ...stream, path: resolve(folder, stream.path) } : stream;
}
