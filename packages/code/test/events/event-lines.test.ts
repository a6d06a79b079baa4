import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadExecutorConfig } from "../../src/config/executor-config.ts";
import { EventBus } from "../../src/events/event-bus.ts";
import { levelOfEvent, toRecord } from "../../src/events/event-record.ts";
import { MemoryEvents } from "../../src/events/memory-events.ts";
import { openStreams } from "../../src/events/open-streams.ts";
import { EventType } from "../../src/model/event-type.ts";
import { eventOf } from "./events-contract.ts";

describe("the log line of an event", () => {
  it("EVENT-5 has the time, the level, the text and the fields of the event", () => {
    const fields = { taskType: "feature", dependencies: ["first"] };
    expect(toRecord({ ...eventOf(EventType.TaskScheduled), ...fields })).toEqual({
      time: 1,
      level: "info",
      message: "Task scheduled",
      fields: {
        event: "task.scheduled",
        eventId: "w:a:task.scheduled",
        workflowId: "w",
        taskId: "a",
        ...fields,
      },
    });
  });

  it("EVENT-5 has a level and a text for every type", () => {
    const lines = Object.values(EventType).map((type) => toRecord(eventOf(type)));
    expect(new Set(lines.map(({ message }) => message)).size).toBe(23);
    expect(lines.map(({ level }) => level)).toEqual(Object.values(EventType).map(levelOfEvent));
    expect(lines[5]!.fields).not.toHaveProperty("taskType");
  });
});

describe("the streams of the configuration", () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-streams-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const configOf = (events: string): ReturnType<typeof loadExecutorConfig>["events"] =>
    loadExecutorConfig(`executor:\n  events: ${events}\n`).events;

  const messagesIn = (file: string): readonly string[] =>
    readFileSync(join(folder, file), "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { message: string }).message);

  it("CODE-13 write the events of their level, masked, to files below the folder", async () => {
    const bus = new EventBus();
    const config = configOf(
      "{ streams: [{ type: file, level: debug }, { type: file, path: errors.log, level: error }] }",
    );
    const streams = openStreams(config, {
      events: bus,
      folder,
      mask: (text) => text.replaceAll("s3cret", "***"),
    });
    await bus.publishBatch([
      eventOf(EventType.SessionCreated),
      { ...eventOf(EventType.MergeFailed), error: "s3cret in the log" },
    ]);
    await streams.close();
    await bus.publish(eventOf(EventType.TaskFailed));
    await bus.idle();
    expect(messagesIn(".segno/logs/execution.log")).toEqual(["Session created", "Merge failed"]);
    expect(messagesIn("errors.log")).toEqual(["Merge failed"]);
    expect(readFileSync(join(folder, "errors.log"), "utf8")).toContain('"error":"*** in the log"');
    expect(streams.sinks.map(({ dropped }) => dropped)).toEqual([0, 0]);
  });

  it("CODE-13 are not opened with `enabled: false`", async () => {
    const events = new MemoryEvents();
    const config = configOf("{ enabled: false, streams: [{ type: file, path: disabled.log }] }");
    await using streams = openStreams(config, { events, folder });
    await events.publish(eventOf(EventType.TaskFailed));
    expect(streams.sinks).toEqual([]);
    expect(existsSync(join(folder, "disabled.log"))).toBe(false);
  });
});
