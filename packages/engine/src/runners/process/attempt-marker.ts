// The marker of an attempt: the value of an environment variable of every process that the attempt starts. Processes
// are found by it.
//
//   AM1. Ids come from users and may contain any character, including line breaks, which separate markers. All
//        characters except letters, digits, hyphen and underscore are percent-encoded by their UTF-8 bytes.
//   AM2. Different attempts have different markers: the encoding is reversible, and a marker always has four parts.

export interface MarkedAttempt {
  readonly execution: string;
  /** The step index in its execution. */
  readonly stepIndex: number;
  readonly epoch: number;
}

export function attemptMarker(storeId: string, { execution, stepIndex, epoch }: MarkedAttempt): string {
  return `${storeId}.${encodeText(execution)}.${stepIndex}.${epoch}`;
}

function encodeText(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, (character) => {
    const bytes = [...new TextEncoder().encode(character)];
    return bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  });
}
