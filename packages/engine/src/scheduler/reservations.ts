// Reservations: large requests are not starved by small ones (SCHED-4).
//
// A queue whose first has waited long enough takes a place in the line of every resource that it needs. When it is first in
// all of them, and nobody has a reservation of any of them, it reserves all of them at once: what becomes free there is kept
// for it, until it is served or nobody is in it any more.
//
//   V1. Two reservations never share a resource: at most one queue at a time has a reservation of it. Whoever holds something waits for nothing, and who has a reservation waits
//       for holders only: there is no circle of waiting, so no deadlock.
//   V2. All lines have the same order, that of the queues when they joined. So the first of all candidates is first wherever
//       it stands, and every candidate reserves at last.
//   V3. Nobody reserves what holders cannot give back by ending: neither more than there is, nor what an attempt holds that was
//       given up and still runs.

import type { Resource } from "./resources/resource.ts";
import { ScheduledAlarm, type Alarms } from "./alarms.ts";
import { Heap } from "../collections/heap.ts";
import type { RequirementQueue } from "./requirement-queue.ts";
import { ReservationRequest } from "./reservation-request.ts";

const STARVATION_MS = 10_000;

type Request = ReservationRequest<RequirementQueue>;

export interface ReservationPorts {
  readonly alarms: Alarms;
  /** A reservation of the resource has begun or ended: those behind it look again. */
  onChanged(resource: Resource): void;
  /** What the queue needs is kept for it from now on: where it stands has to be seen again. */
  onReserved(queue: RequirementQueue, nowMs: number): void;
}

export class Reservations {
  readonly #ports: ReservationPorts;
  /** For whom what becomes free of a resource is kept. */
  readonly #reserved = new Map<Resource, Request>();
  /** Those who have waited long enough to reserve a resource, and the one who does. */
  readonly #requests = new Map<Resource, Heap<Request>>();

  constructor(ports: ReservationPorts) {
    this.#ports = ports;
  }

  /** The request that a resource is reserved for. */
  current(resource: Resource): Request | undefined {
    return this.#reserved.size === 0 ? undefined : this.#reserved.get(resource);
  }

  /** How many have waited long enough to reserve a resource. */
  requestCount(resource: Resource): number {
    return this.#requests.get(resource)?.size ?? 0;
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
    for (const { queue } of this.#requests.get(resource)?.all.filter(isUnsatisfiable) ?? []) {
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
    for (const request of requests) this.#line(request.amount.resource).add(request);
    this.#try(queue, nowMs);
  }

  #tryFirst(resource: Resource, nowMs: number): void {
    const first = this.#requests.get(resource)?.first;
    if (first !== undefined) this.#try(first.queue, nowMs);
  }

  #try(queue: RequirementQueue, nowMs: number): void {
    const requests = queue.reservationRequests!;
    if (!requests.every((request) => this.#isNext(request))) return;
    for (const request of requests) this.#reserved.set(request.amount.resource, request);
    for (const { amount } of requests) this.#ports.onChanged(amount.resource);
    this.#ports.onReserved(queue, nowMs);
  }

  #cancel(request: Request): void {
    const { resource } = request.amount;
    const line = this.#line(resource);
    line.delete(request);
    if (line.size === 0) this.#requests.delete(resource);
    if (this.#reserved.get(resource) !== request) return;
    this.#reserved.delete(resource);
    this.#ports.onChanged(resource);
  }

  #line(resource: Resource): Heap<Request> {
    let line = this.#requests.get(resource);
    if (line === undefined) this.#requests.set(resource, (line = new Heap()));
    return line;
  }

  #isNext(request: Request): boolean {
    const { resource } = request.amount;
    return !this.#reserved.has(resource) && this.#requests.get(resource)?.first === request;
  }
}

function isUnsatisfiable({ amount }: Request): boolean {
  return amount.meter.leaked > amount.threshold;
}
