// How far an event port has got with the events of each workflow, so that a process that goes on with one publishes the rest.

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface EventPlace {
  /** The last event that was published. */
  readonly eventId: string;
  /** The time of the first event. Another workflow may have the same id in another journal. */
  readonly startedAt: number;
}

export interface EventPlaces {
  read(workflowId: string): Promise<EventPlace | undefined>;
  save(workflowId: string, place: EventPlace): Promise<void>;
}

/** For an engine whose journal is in memory too. */
export class MemoryEventPlaces implements EventPlaces {
  readonly #places = new Map<string, EventPlace>();

  async read(workflowId: string): Promise<EventPlace | undefined> {
    return this.#places.get(workflowId);
  }

  async save(workflowId: string, place: EventPlace): Promise<void> {
    this.#places.set(workflowId, place);
  }
}

/** One file for each workflow. */
export class FileEventPlaces implements EventPlaces {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(workflowId: string): Promise<EventPlace | undefined> {
    try {
      return JSON.parse(await readFile(this.#path(workflowId), "utf8")) as EventPlace;
    } catch {
      // There is none, or it is damaged: the events are published again, with the same ids.
      return undefined;
    }
  }

  async save(workflowId: string, place: EventPlace): Promise<void> {
    const file = this.#path(workflowId);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(`${file}.new`, JSON.stringify(place), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  #path(workflowId: string): string {
    return join(this.#folder, `${encodeURIComponent(workflowId)}.json`);
  }
}
