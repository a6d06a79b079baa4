// Sees whether functions of steps are in the middle of real I/O. Virtual time must not pass meanwhile: a function that reads a
// file would exceed a timeout of an hour in no time.
//
//   RW1. The process is busy if functions run and it has more active resources of some kind (requests to the file system,
//        sockets, processes) than it had before the functions began. What a test or its runner keeps open is not work.
//   RW2. A function that waits for virtual time, or for the test, has no such resource, so nobody waits for it.
//   RW3. A resource that stays active for too long counts as usual from then on, until it is gone.
//
// Node.js does not say which function a resource belongs to, and it does not count work of its thread pool other than the
// file system's and the resolver's: compression and cryptography are not seen.

type ResourceCounts = ReadonlyMap<string, number>;

/**
 * No function awaits these, except timers: the timers of a test runner come and go, so a count of them says nothing about
 * functions.
 */
const PASSIVE: ReadonlySet<string> = new Set([
  "FSEventWrap",
  "Immediate",
  "PipeServerWrap",
  "SignalWrap",
  "StatWatcher",
  "TCPServerWrap",
  "TTYWrap",
  "Timeout",
  "UDPWrap",
]);

export class RealWork {
  readonly #hasRunningFunctions: () => boolean;
  #usual: ResourceCounts = new Map();

  constructor(hasRunningFunctions: () => boolean) {
    this.#hasRunningFunctions = hasRunningFunctions;
  }

  /** Looks at the process, and returns whether functions are in the middle of real I/O (RW1). */
  look(): boolean {
    const active = activeResources();
    if (!this.#hasRunningFunctions()) {
      this.#usual = active;
      return false;
    }
    const usual = this.#usual;
    this.#usual = new Map(Array.from(usual, ([kind, count]) => [kind, Math.min(count, active.get(kind) ?? 0)]));
    for (const [kind, count] of active) if (count > (usual.get(kind) ?? 0)) return true;
    return false;
  }

  /** The I/O took too long (RW3). */
  giveUp(): void {
    this.#usual = activeResources();
  }
}

function activeResources(): ResourceCounts {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (!PASSIVE.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
