/** Called by the twins in memory wherever git would start another process. */
export type MemoryStep = (name: string) => Promise<void>;
