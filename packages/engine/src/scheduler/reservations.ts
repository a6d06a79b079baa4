// Reservations keep small requests from starving large ones (SCHED-4).
//
// A queue whose first step has waited `STARVATION_MS` requests a reservation of every resource that it requires. When its
// reservations are first at all these resources and no other queue has an active one there, all of them become active at
// once. Freed amounts are then kept for the queue until one of its steps is granted or the queue is empty.
//
//   V1. At most one reservation of a resource is active. A step that holds resources waits for nothing, and a queue with
//       an active reservation waits only for steps that hold resources. So waiting has no cycle, and there is no deadlock.
//   V2. All resources order their reservations the same way: by the rank that the queue had when it requested them. So
//       the first of all reservations is first at every one of its resources, and every reservation becomes active in the
//       end.
//   V3. A queue requests a reservation only if its amount and what lingering attempts hold are together within the bound.
//       All other usage ends with its step or expires, so the amount becomes free.

import type { Resource } from "./resources/resource.ts";
import { ScheduledAlarm, type Alarms } from "./alarms.ts";
import { Heap } from "../collections/heap.ts";
import type { RequirementQueue } from "./scheduler-record.ts";
import { Reservation } from "./reservation.ts";

const STARVATION_MS = 10_000;

type QueueReservation = Reservation<RequirementQueue>;

export interface ReservationPorts {
  readonly alarms: Alarms;
  /** A reservation of the resource became active or ended: the queues behind it have to be checked again. */
  onChanged(resource: Resource): void;
  /** The reservations of the queue became active: the queue has to be checked again. */
  onReserved(requirementQueue: RequirementQueue, nowMs: number): void;
}

export class Reservations {
  readonly #ports: ReservationPorts;
  readonly #active = new Map<Resource, QueueReservation>();
  /** The reservations that queues have requested, including the active one. */
  readonly #byResource = new Map<Resource, Heap<QueueReservation>>();

  constructor(ports: ReservationPorts) {
    this.#ports = ports;
  }

  /** The active reservation of a resource, if any. */
  current(resource: Resource): QueueReservation | undefined {
    return this.#active.size === 0 ? undefined : this.#active.get(resource);
  }

  /** How many queues have requested a reservation of the resource, including the one whose reservation is active. */
  count(resource: Resource): number {
    return this.#byResource.get(resource)?.size ?? 0;
  }

  /** A resource blocks the queue. */
  onBlocked(requirementQueue: RequirementQueue, nowMs: number): void {
    if (requirementQueue.reservations === undefined && requirementQueue.requirement.isPossible)
      this.#requestAt(requirementQueue, Math.floor(requirementQueue.since) + STARVATION_MS, nowMs);
  }

  /** A step of the queue was granted, the queue is empty, or a breaker blocks it. */
  cancel(requirementQueue: RequirementQueue, nowMs: number): void {
    this.#ports.alarms.cancel(requirementQueue.starvationAlarm);
    const { reservations } = requirementQueue;
    if (reservations === undefined) return;
    requirementQueue.reservations = undefined;
    for (const reservation of reservations) this.#cancelReservation(reservation);
    for (const { demand } of reservations) this.#tryReserveFirst(demand.resource, nowMs);
  }

  /**
   * A lingering attempt holds an amount of the resource. Reservations that can no longer be met are cancelled and
   * requested again later (V3).
   */
  onLingering(resource: Resource, nowMs: number): void {
    for (const { queue: requirementQueue } of this.#byResource.get(resource)?.all.filter(isUnsatisfiable) ?? []) {
      this.cancel(requirementQueue, nowMs);
      this.#requestAt(requirementQueue, nowMs + STARVATION_MS, nowMs);
    }
  }

  #requestAt(requirementQueue: RequirementQueue, dueAtMs: number, nowMs: number): void {
    if (dueAtMs <= nowMs) return this.#request(requirementQueue, nowMs);
    requirementQueue.starvationAlarm ??= new ScheduledAlarm((atMs) => this.onBlocked(requirementQueue, atMs));
    this.#ports.alarms.set(requirementQueue.starvationAlarm, dueAtMs);
  }

  #request(requirementQueue: RequirementQueue, nowMs: number): void {
    const reservations = requirementQueue.requirement.demands.map(
      (demand) => new Reservation(requirementQueue, demand),
    );
    if (reservations.some(isUnsatisfiable)) return this.#requestAt(requirementQueue, nowMs + STARVATION_MS, nowMs);
    requirementQueue.reservations = reservations;
    for (const reservation of reservations) this.#reservationsFor(reservation.demand.resource).add(reservation);
    this.#tryReserve(requirementQueue, nowMs);
  }

  #tryReserveFirst(resource: Resource, nowMs: number): void {
    const first = this.#byResource.get(resource)?.first;
    if (first !== undefined) this.#tryReserve(first.queue, nowMs);
  }

  #tryReserve(requirementQueue: RequirementQueue, nowMs: number): void {
    const reservations = requirementQueue.reservations!;
    if (!reservations.every((reservation) => this.#isNext(reservation))) return;
    for (const reservation of reservations) {
      reservation.isActive = true;
      this.#active.set(reservation.demand.resource, reservation);
    }
    for (const { demand } of reservations) this.#ports.onChanged(demand.resource);
    this.#ports.onReserved(requirementQueue, nowMs);
  }

  #cancelReservation(reservation: QueueReservation): void {
    const { resource } = reservation.demand;
    const reservations = this.#reservationsFor(resource);
    reservations.delete(reservation);
    if (reservations.size === 0) this.#byResource.delete(resource);
    if (!reservation.isActive) return;
    reservation.isActive = false;
    this.#active.delete(resource);
    this.#ports.onChanged(resource);
  }

  #reservationsFor(resource: Resource): Heap<QueueReservation> {
    let reservations = this.#byResource.get(resource);
    if (reservations === undefined) this.#byResource.set(resource, (reservations = new Heap()));
    return reservations;
  }

  #isNext(reservation: QueueReservation): boolean {
    const { resource } = reservation.demand;
    return !this.#active.has(resource) && this.#byResource.get(resource)?.first === reservation;
  }
}

function isUnsatisfiable({ demand }: QueueReservation): boolean {
  return demand.meter.heldByLingering > demand.threshold;
}
