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

import type { Resource, ResourceAmount } from "./resources/resource.ts";
import { ScheduledAlarm, type Alarms } from "./alarms.ts";
import { Ranked } from "../collections/heap.ts";
import type { RequirementQueue } from "./requirement-queue.ts";

const STARVATION_MS = 10_000;

/** A queue's place in the line of one resource. */
export class ReservationRequest extends Ranked {
  readonly queue: RequirementQueue;
  readonly amount: ResourceAmount;

  constructor(queue: RequirementQueue, amount: ResourceAmount) {
    super();
    this.queue = queue;
    this.amount = amount;
    this.key = queue.key;
    this.fairnessSeq = queue.fairnessSeq;
    this.since = queue.since;
  }
}

export interface ReservationPorts {
  readonly alarms: Alarms;
  /** A reservation of the resource has begun or ended: those behind it look again. */
  onChanged(resource: Resource): void;
  /** What the queue needs is kept for it from now on: where it stands has to be seen again. */
  onReserved(queue: RequirementQueue, nowMs: number): void;
}

export class Reservations {
  readonly #ports: ReservationPorts;

  constructor(ports: ReservationPorts) {
    this.#ports = ports;
  }

  /** A resource holds up the queue. */
  wait(queue: RequirementQueue, nowMs: number): void {
    if (queue.reservationRequests === undefined && queue.requirement.isPossible)
      this.#update(queue, Math.floor(queue.since) + STARVATION_MS, nowMs);
  }

  /** The queue was served, is empty, or waits for something else. */
  leave(queue: RequirementQueue, nowMs: number): void {
    this.#ports.alarms.drop(queue.starvationTimer);
    const { reservationRequests: requests } = queue;
    if (requests === undefined) return;
    queue.reservationRequests = undefined;
    for (const request of requests) this.#cancel(request);
    for (const { amount } of requests) this.#tryFirst(amount.resource, nowMs);
  }

  /** More of a resource is held by attempts that were given up: who waits for that must not keep the rest. */
  onLeaked(resource: Resource, nowMs: number): void {
    for (const { queue } of resource.requests.all.filter(isUnsatisfiable)) {
      this.leave(queue, nowMs);
      this.#update(queue, nowMs + STARVATION_MS, nowMs);
    }
  }

  #update(queue: RequirementQueue, dueAtMs: number, nowMs: number): void {
    if (dueAtMs <= nowMs) return this.#request(queue, nowMs);
    queue.starvationTimer ??= new ScheduledAlarm((atMs) => this.wait(queue, atMs));
    this.#ports.alarms.set(queue.starvationTimer, dueAtMs);
  }

  #request(queue: RequirementQueue, nowMs: number): void {
    const requests = queue.requirement.amounts.map((amount) => new ReservationRequest(queue, amount));
    if (requests.some(isUnsatisfiable)) return this.#update(queue, nowMs + STARVATION_MS, nowMs);
    queue.reservationRequests = requests;
    for (const request of requests) request.amount.resource.requests.add(request);
    this.#try(queue, nowMs);
  }

  #tryFirst(resource: Resource, nowMs: number): void {
    const { first } = resource.requests;
    if (first !== undefined) this.#try(first.queue, nowMs);
  }

  #try(queue: RequirementQueue, nowMs: number): void {
    const requests = queue.reservationRequests!;
    if (!requests.every(isNext)) return;
    for (const request of requests) request.amount.resource.reservation = request;
    for (const { amount } of requests) this.#ports.onChanged(amount.resource);
    this.#ports.onReserved(queue, nowMs);
  }

  #cancel(request: ReservationRequest): void {
    const { resource } = request.amount;
    resource.requests.delete(request);
    if (resource.reservation !== request) return;
    resource.reservation = undefined;
    this.#ports.onChanged(resource);
  }
}

function isNext(request: ReservationRequest): boolean {
  const { reservation, requests } = request.amount.resource;
  return reservation === undefined && requests.first === request;
}

function isUnsatisfiable({ amount }: ReservationRequest): boolean {
  return amount.meter.leaked > amount.threshold;
}
