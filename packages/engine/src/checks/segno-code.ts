import { SegnoError } from "@segno/kernel";

/** The code of an error of Segno. User code may throw a value that throws when it is read, such as a revoked proxy. */
export function segnoCode(error: unknown): string | undefined {
  try {
    return error instanceof SegnoError ? error.code : undefined;
  } catch {
    return undefined;
  }
}
