// Reservations: large requests are not starved by small ones (SCHED-4).
//
// A queue whose first has waited long enough takes a place in the line of every resource that it needs. When it is first in
// all of them, and nobody has a reservation of any of them, it reserves all of them at once: what becomes free there is kept
// for it, until it is served or nobody is in it any more.
//
//   V1. Two reservations never share a resource. Whoever holds something waits for nothing, and who has a reservation waits
//       for holders only: there is no circle of waiting, so no deadlock.
//   V2. All lines have the same order, that of the queues when they joined. So the first of all candidates is first wherever
//       it stands, and every candidate reserves at last.
//   V3. Nobody reserves what holders cannot give back by ending: neither more than there is, nor what an attempt holds that was
//       given up and still runs.

import type { Resource, Take } from "../resources/resource.ts";
import { Alarm, type Alarms } from "./alarms.ts";
import { Ranked } from "./heap.ts";
import type { Queue } from "./queue.ts";

const PATIENCE_MS = 10_000;

/** A queue's place in the line of one resource. */
export class Booking extends Ranked {
  readonly queue: Queue;
  readonly take: Take;

  constructor(queue: Queue, take: Take) {
    super();
    this.queue = queue;
    this.take = take;
    this.key = queue.key;
    this.turn = queue.turn;
    this.since = queue.since;
  }
}

export interface ReservationPorts {
  readonly alarms: Alarms;
  /** A reservation of the resource has begun or ended: those behind it look again. */
  changed(resource: Resource): void;
  /** What the queue needs is kept for it from now on: where it stands has to be seen again. */
  reserved(queue: Queue, nowMs: number): void;
}

export class Reservations {
  readonly #ports: ReservationPorts;

  constructor(ports: ReservationPorts) {
    this.#ports = ports;
  }

  /** A resource holds up the queue. */
  wait(queue: Queue, nowMs: number): void {
    if (queue.bookings === undefined && queue.need.isPossible)
      this.#lookAt(queue, Math.floor(queue.since) + PATIENCE_MS, nowMs);
  }

  /** The queue was served, is empty, or waits for something else. */
  leave(queue: Queue, nowMs: number): void {
    this.#ports.alarms.drop(queue.patience);
    const { bookings } = queue;
    if (bookings === undefined) return;
    queue.bookings = undefined;
    for (const booking of bookings) this.#cancel(booking);
    for (const { take } of bookings) this.#tryFirst(take.resource, nowMs);
  }

  /** More of a resource is held by attempts that were given up: who waits for that must not keep the rest. */
  stuck(resource: Resource, nowMs: number): void {
    for (const { queue } of resource.line.all.filter(isHopeless)) {
      this.leave(queue, nowMs);
      this.#lookAt(queue, nowMs + PATIENCE_MS, nowMs);
    }
  }

  #lookAt(queue: Queue, dueAtMs: number, nowMs: number): void {
    if (dueAtMs <= nowMs) return this.#book(queue, nowMs);
    queue.patience ??= new Alarm((atMs) => this.wait(queue, atMs));
    this.#ports.alarms.set(queue.patience, dueAtMs);
  }

  #book(queue: Queue, nowMs: number): void {
    const bookings = queue.need.takes.map((take) => new Booking(queue, take));
    if (bookings.some(isHopeless)) return this.#lookAt(queue, nowMs + PATIENCE_MS, nowMs);
    queue.bookings = bookings;
    for (const booking of bookings) booking.take.resource.line.add(booking);
    this.#try(queue, nowMs);
  }

  #tryFirst(resource: Resource, nowMs: number): void {
    const { first } = resource.line;
    if (first !== undefined) this.#try(first.queue, nowMs);
  }

  #try(queue: Queue, nowMs: number): void {
    const bookings = queue.bookings!;
    if (!bookings.every(isNext)) return;
    for (const booking of bookings) booking.take.resource.reservation = booking;
    for (const { take } of bookings) this.#ports.changed(take.resource);
    this.#ports.reserved(queue, nowMs);
  }

  #cancel(booking: Booking): void {
    const { resource } = booking.take;
    resource.line.delete(booking);
    if (resource.reservation !== booking) return;
    resource.reservation = undefined;
    this.#ports.changed(resource);
  }
}

function isNext(booking: Booking): boolean {
  const { reservation, line } = booking.take.resource;
  return reservation === undefined && line.first === booking;
}

function isHopeless({ take }: Booking): boolean {
  return take.meter.stuck > take.threshold;
}
