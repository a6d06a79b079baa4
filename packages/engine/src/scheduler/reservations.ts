// Reservations keep small requests from starving large ones (SCHED-4).
//
// A queue whose first step has waited `STARVATION_MS` adds a request to every resource that it requires. When its
// request is first at all of them and none of them is reserved, the queue reserves all of them at once. Freed amounts
// are then kept for it until one of its steps is granted or the queue is empty.
//
//   V1. Two reservations never share a resource. A step that holds resources waits for nothing, and a queue with a
//       reservation waits only for holders. So waiting has no cycle, and there is no deadlock.
//   V2. All resources order their requests the same way: by the rank that the queue had when it made the request. So
//       the first of all requests is first at every one of its resources, and every queue gets its reservation in the
//       end.
//   V3. A queue does not reserve an amount that running attempts cannot free by ending: neither more than the bound,
//       nor an amount that an abandoned attempt still holds.

import type { Resource, ResourceAmount } from "./resources/resource.ts";
import { ScheduledAlarm, type Alarms } from "./alarms.ts";
import { Ranked } from "../collections/heap.ts";
import type { RequirementQueue } from "./requirement-queue.ts";

const STARVATION_MS = 10_000;

/** A queue's request to reserve one resource. */
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
  /** A reservation of the resource has begun or ended: the queues behind it have to be checked again. */
  onChanged(resource: Resource): void;
  /** The queue now holds its reservation and has to be checked again. */
  onReserved(queue: RequirementQueue, nowMs: number): void;
}

export class Reservations {
  readonly #ports: ReservationPorts;

  constructor(ports: ReservationPorts) {
    this.#ports = ports;
  }

  /** A resource blocks the queue. */
  onBlocked(queue: RequirementQueue, nowMs: number): void {
    if (queue.reservationRequests === undefined && queue.requirement.isPossible)
      this.#requestAt(queue, Math.floor(queue.since) + STARVATION_MS, nowMs);
  }

  /** A step of the queue was granted, the queue is empty, or a breaker blocks it. */
  cancel(queue: RequirementQueue, nowMs: number): void {
    this.#ports.alarms.cancel(queue.starvationTimer);
    const { reservationRequests: requests } = queue;
    if (requests === undefined) return;
    queue.reservationRequests = undefined;
    for (const request of requests) this.#cancelRequest(request);
    for (const { amount } of requests) this.#tryReserveFirst(amount.resource, nowMs);
  }

  /**
   * An abandoned attempt holds more of the resource. Requests that can no longer be met give up their reservations and
   * try again later (V3).
   */
  onLeaked(resource: Resource, nowMs: number): void {
    for (const { queue } of resource.requests.all.filter(isUnsatisfiable)) {
      this.cancel(queue, nowMs);
      this.#requestAt(queue, nowMs + STARVATION_MS, nowMs);
    }
  }

  #requestAt(queue: RequirementQueue, dueAtMs: number, nowMs: number): void {
    if (dueAtMs <= nowMs) return this.#request(queue, nowMs);
    queue.starvationTimer ??= new ScheduledAlarm((atMs) => this.onBlocked(queue, atMs));
    this.#ports.alarms.set(queue.starvationTimer, dueAtMs);
  }

  #request(queue: RequirementQueue, nowMs: number): void {
    const requests = queue.requirement.amounts.map((amount) => new ReservationRequest(queue, amount));
    if (requests.some(isUnsatisfiable)) return this.#requestAt(queue, nowMs + STARVATION_MS, nowMs);
    queue.reservationRequests = requests;
    for (const request of requests) request.amount.resource.requests.add(request);
    this.#tryReserve(queue, nowMs);
  }

  #tryReserveFirst(resource: Resource, nowMs: number): void {
    const { first } = resource.requests;
    if (first !== undefined) this.#tryReserve(first.queue, nowMs);
  }

  #tryReserve(queue: RequirementQueue, nowMs: number): void {
    const requests = queue.reservationRequests!;
    if (!requests.every(isNext)) return;
    for (const request of requests) request.amount.resource.reservation = request;
    for (const { amount } of requests) this.#ports.onChanged(amount.resource);
    this.#ports.onReserved(queue, nowMs);
  }

  #cancelRequest(request: ReservationRequest): void {
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
