// Compressed responses. The request does not ask for compression, but some servers always compress. The limit of a body
// applies before and after decompression, so a decompression bomb does no harm.

import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { SegnoError } from "@segno/kernel";
import { tooLarge, type HttpResponse } from "./http-response.ts";

type Decompressor = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const DECOMPRESSORS: ReadonlyMap<string, Decompressor> = new Map<string, Decompressor>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** The decompressed body. */
export async function decompress(response: HttpResponse, maxOutputLength: number): Promise<Uint8Array> {
  const coding = (response.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "" || response.bytes.length === 0) return response.bytes;
  const decompressor = DECOMPRESSORS.get(coding);
  if (decompressor === undefined)
    throw invalidCodingError(`has the content coding ${JSON.stringify(coding)}, which was not requested`);
  try {
    return await decompressor(response.bytes, { maxOutputLength });
  } catch (error) {
    throw isTooLarge(error)
      ? tooLarge(response, maxOutputLength)
      : invalidCodingError(`declares the content coding ${coding}, but is not valid ${coding}`);
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
}

function invalidCodingError(problem: string): SegnoError {
  return new SegnoError("HTTP_FAILED", `the response ${problem}`);
}
