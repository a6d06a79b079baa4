// How far a sink has got with one execution.

import type { ExecutionId } from "@segno/kernel";
import type { SinkPosition } from "./position-file.ts";

/** The events of an execution that are delivered, queued and known. */
export interface DeliveryTrack {
  readonly id: ExecutionId;
  /** The last event that the destination has accepted. */
  delivered: number;
  /** The last event that is delivered or queued. The next one follows it without a gap. */
  queued: number;
  /** The last event that the sink has heard of. */
  known: number;
  /** The time of the last delivered event if the execution has ended with it. */
  endedAt: number | undefined;
  /** False until this process has compared the position with the journal, which may be restored from a backup. */
  isCompared: boolean;
}

export function newTrack(id: ExecutionId, delivered: number): DeliveryTrack {
  return { id, delivered, queued: delivered, known: delivered, endedAt: undefined, isCompared: true };
}

/** A position may be ahead of a journal that was restored from a backup: its next events have old numbers. */
export function compareTrack(track: DeliveryTrack, seq: number): void {
  if (!track.isCompared && seq < track.queued) track.delivered = track.queued = track.known = seq;
  track.isCompared = true;
}

export function toPosition({ id, delivered, endedAt }: DeliveryTrack): SinkPosition {
  return { id, seq: delivered, ...(endedAt === undefined ? {} : { endedAt }) };
}

/** The tracks of a sink, by execution. */
export class DeliveryTracks {
  readonly #tracks = new Map<string, DeliveryTrack>();

  get(id: string): DeliveryTrack | undefined {
    return this.#tracks.get(id);
  }

  add(track: DeliveryTrack): DeliveryTrack {
    this.#tracks.set(track.id, track);
    return track;
  }

  /** Adds saved positions, which are not compared with the journal yet. */
  addSaved(positions: readonly SinkPosition[]): void {
    for (const { id, seq, endedAt } of positions)
      this.add({ ...newTrack(id as ExecutionId, seq), endedAt, isCompared: false });
  }

  delete(id: string): void {
    this.#tracks.delete(id);
  }

  /** Forgets executions that ended before this time, and the oldest ended ones if there are too many. */
  forgetEnded(before: number, endedMax: number): void {
    const ended = [...this.#tracks.values()].filter(isDone);
    const excess = ended.length - endedMax;
    for (const [each, { id, endedAt }] of ended.entries())
      if (each < excess || endedAt! < before) this.#tracks.delete(id);
  }

  positions(): readonly SinkPosition[] {
    return Array.from(this.#tracks.values(), toPosition).filter(({ seq }) => seq > 0);
  }
}

function isDone({ delivered, known, endedAt }: DeliveryTrack): boolean {
  return endedAt !== undefined && delivered === known;
}
