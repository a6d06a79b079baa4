// The marker of an attempt: the value of an environment variable of every process that the attempt starts. Processes
// are found by it.
//
//   AM1. Ids come from users and may contain any character, including line breaks, which separate markers. All
//        characters except letters, digits, hyphen and underscore are percent-encoded by their UTF-8 bytes.
//   AM2. Different attempts have different markers: the encoding is reversible, and the marker of an attempt has four
//        parts.
//   AM3. An agent may own several processes, and each of them is terminated alone. So each has a marker of its own: a
//        number is the fifth part.

export interface MarkedAttempt {
  readonly execution: string;
  /** The step index in its execution. */
  readonly stepIndex: number;
  readonly epoch: number;
}

export function attemptMarker(storeId: string, { execution, stepIndex, epoch }: MarkedAttempt): string {
  return `${storeId}.${encodeText(execution)}.${stepIndex}.${epoch}`;
}

/** AM3. */
export function ownedMarker(marker: string, number: number): string {
  return `${marker}.${number}`;
}

function encodeText(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, (character) => {
    const bytes = [...new TextEncoder().encode(character)];
    return bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  });
}
