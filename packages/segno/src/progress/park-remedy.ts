// The flags for a process that continues an execution that was parked because a process lacked something (FAIL-9).

import type { ParkCause } from "@segno/kernel";

export interface ParkFlag {
  readonly flag: string;
  /** Empty if the flag has no value. */
  readonly value: string;
}

const FLAGS: Readonly<Partial<Record<ParkCause, ParkFlag>>> = {
  "no-secret": { flag: " --secrets", value: " FILE" },
  "no-agent": { flag: " --import", value: " FILE" },
  "address-refused": { flag: " --allow-private-network", value: "" },
};

/** Undefined if no flag helps, or if the cause is unknown. */
export function parkFlag(cause: ParkCause | undefined): ParkFlag | undefined {
  return cause === undefined ? undefined : FLAGS[cause];
}

/** `segno work --import FILE continues it`; resuming does not help a process that still lacks the prerequisite. */
export function parkRemedy(cause: ParkCause | undefined, command: string, quote = ""): string {
  const found = parkFlag(cause);
  if (found === undefined) return `${quote}${command} resume${quote} tries it again`;
  return `${quote}${command} work${found.flag}${found.value}${quote} continues it`;
}
