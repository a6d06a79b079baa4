// Packed answers. None is asked for, but some servers pack everything. What comes out has the limit of what came in, so a
// small answer that would unpack to a huge one does no harm.

import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { SegnoError } from "@segno/kernel";
import { tooLarge, type HttpResponse } from "./http-response.ts";

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const UNPACKS: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** The bytes of the body as they were before they were packed. */
export async function decompress(answer: HttpResponse, maxOutputLength: number): Promise<Uint8Array> {
  const coding = (answer.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "" || answer.bytes.length === 0) return answer.bytes;
  const unpack = UNPACKS.get(coding);
  if (unpack === undefined) throw invalidCodingError(`is packed as ${JSON.stringify(coding)}, which was not asked for`);
  try {
    return await unpack(answer.bytes, { maxOutputLength });
  } catch (error) {
    throw isTooLarge(error)
      ? tooLarge(answer, maxOutputLength)
      : invalidCodingError(`says that it is ${coding}, but is not`);
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
}

function invalidCodingError(what: string): SegnoError {
  return new SegnoError("HTTP_FAILED", `the answer ${what}`);
}
