// Reservations keep small requests from starving large ones (SCHED-4).
//
// A queue whose first step has waited `STARVATION_MS` adds a request to every resource that it requires. When its
// request is first at all of them and none of them is reserved, the queue reserves all of them at once. Freed amounts
// are then kept for it until one of its steps is granted or the queue is empty.
//
//   V1. Two reservations never share a resource: at most one queue at a time holds a reservation of it. A step that holds resources waits for nothing, and a queue with a
//       reservation waits only for holders. So waiting has no cycle, and there is no deadlock.
//   V2. All resources order their requests the same way: by the rank that the queue had when it made the request. So
//       the first of all requests is first at every one of its resources, and every queue gets its reservation in the
//       end.
//   V3. A queue does not reserve an amount that running attempts cannot free by ending: neither more than the bound,
//       nor an amount that an abandoned attempt still holds.

import type { Resource } from "./resources/resource.ts";
import { ScheduledAlarm, type Alarms } from "./alarms.ts";
import { Heap } from "../collections/heap.ts";
import type { RequirementQueue } from "./scheduling-entry.ts";
import { ReservationRequest } from "./reservation-request.ts";

const STARVATION_MS = 10_000;

type QueueRequest = ReservationRequest<RequirementQueue>;

export interface ReservationPorts {
  readonly alarms: Alarms;
  /** A reservation of the resource has begun or ended: the queues behind it have to be checked again. */
  onChanged(resource: Resource): void;
  /** The queue now holds its reservation and has to be checked again. */
  onReserved(queue: RequirementQueue, nowMs: number): void;
}

export class Reservations {
  readonly #ports: ReservationPorts;
  /** The requests that hold reservations. */
  readonly #reserved = new Map<Resource, QueueRequest>();
  /**
   * Requests of queues that have waited long enough to reserve a resource, including the one that holds the
   * reservation.
   */
  readonly #requests = new Map<Resource, Heap<QueueRequest>>();

  constructor(ports: ReservationPorts) {
    this.#ports = ports;
  }

  /** The request that holds the reservation of a resource, if any. */
  current(resource: Resource): QueueRequest | undefined {
    return this.#reserved.size === 0 ? undefined : this.#reserved.get(resource);
  }

  /** The number of requests for a resource, including the one that holds the reservation. */
  requestCount(resource: Resource): number {
    return this.#requests.get(resource)?.size ?? 0;
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
    for (const { queue } of this.#requests.get(resource)?.all.filter(isUnsatisfiable) ?? []) {
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
    for (const request of requests) this.#requestsFor(request.amount.resource).add(request);
    this.#tryReserve(queue, nowMs);
  }

  #tryReserveFirst(resource: Resource, nowMs: number): void {
    const first = this.#requests.get(resource)?.first;
    if (first !== undefined) this.#tryReserve(first.queue, nowMs);
  }

  #tryReserve(queue: RequirementQueue, nowMs: number): void {
    const requests = queue.reservationRequests!;
    if (!requests.every((request) => this.#isNext(request))) return;
    for (const request of requests) this.#reserved.set(request.amount.resource, request);
    for (const { amount } of requests) this.#ports.onChanged(amount.resource);
    this.#ports.onReserved(queue, nowMs);
  }

  #cancelRequest(request: QueueRequest): void {
    const { resource } = request.amount;
    const requests = this.#requestsFor(resource);
    requests.delete(request);
    if (requests.size === 0) this.#requests.delete(resource);
    if (this.#reserved.get(resource) !== request) return;
    this.#reserved.delete(resource);
    this.#ports.onChanged(resource);
  }

  #requestsFor(resource: Resource): Heap<QueueRequest> {
    let requests = this.#requests.get(resource);
    if (requests === undefined) this.#requests.set(resource, (requests = new Heap()));
    return requests;
  }

  #isNext(request: QueueRequest): boolean {
    const { resource } = request.amount;
    return !this.#reserved.has(resource) && this.#requests.get(resource)?.first === request;
  }
}

function isUnsatisfiable({ amount }: QueueRequest): boolean {
  return amount.meter.leaked > amount.threshold;
}
