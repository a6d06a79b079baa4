import { executionId, type EpochMs } from "@segno/kernel";
import { expect, it } from "vitest";
import type { Page, Summary } from "../store/store.ts";
import { DeliveryTracks, newTrack } from "./delivery-track.ts";
import { EventBacklog } from "./event-backlog.ts";

function summary(id: string, seq: number, updatedAt: number): Summary {
  const projection = { seq, updatedAt: updatedAt as EpochMs } as Summary["projection"];
  return { id: executionId(id), epoch: 1, projection };
}

/** A journal whose pages have two executions. */
function backlogOf(tracks: DeliveryTracks, executions: readonly Summary[]): EventBacklog {
  const list = async (cursor = "0"): Promise<Page> => {
    const [from, to] = [Number(cursor), Number(cursor) + 2];
    return { executions: executions.slice(from, to), ...(to < executions.length ? { cursor: String(to) } : {}) };
  };
  return new EventBacklog({ read: async () => [], list }, tracks);
}

async function all(backlog: EventBacklog, since: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let id = await backlog.next(since); id !== undefined; id = await backlog.next(since)) ids.push(id);
  return ids;
}

it("EVENT-3 a sink finds the executions that are ahead of their positions, and unknown ones that have changed", async () => {
  const tracks = new DeliveryTracks();
  tracks.addSaved([
    { id: "complete", seq: 5 },
    { id: "behind", seq: 3 },
    { id: "ahead", seq: 9 },
  ]);
  const quarantined = { ...summary("quarantined", 5, 99), quarantined: "damaged" };
  const backlog = backlogOf(tracks, [
    summary("complete", 5, 99),
    summary("behind", 5, 99),
    summary("ahead", 5, 99),
    summary("unknown and old", 5, 49),
    summary("unknown and new", 5, 50),
    quarantined,
  ]);
  backlog.addAll();
  expect(backlog.isEmpty).toBe(false);
  expect(await all(backlog, 50)).toEqual(["behind", "unknown and new"]);
  expect(backlog.isEmpty).toBe(true);
  expect(tracks.get("unknown and new")).toMatchObject({ delivered: 0, known: 5 });
  // The journal was restored from a backup.
  expect(tracks.get("ahead")).toMatchObject({ delivered: 5, queued: 5 });
  expect(tracks.get("unknown and old")).toBeUndefined();
});

it("EVENT-3 the list of executions to read is bounded; the journal has those that do not fit", async () => {
  const tracks = new DeliveryTracks();
  const backlog = backlogOf(tracks, [summary("late", 3, 99)]);
  for (let each = 0; !backlog.isFull; each++) backlog.add(tracks.add(newTrack(executionId(`e${each}`), 0)).id);
  backlog.addAll();
  const ids = await all(backlog, 50);
  expect([ids.length, ids.at(-1)]).toEqual([10_001, "late"]);
});
