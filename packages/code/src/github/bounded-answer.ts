// An answer of the forge that is read whole, up to a limit. The signal of the request holds until its end.

import { ForgeError } from "./forge-error.ts";

/** A page of 100 check runs, each with its longest summary and text, is smaller. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export async function readBounded(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > ANSWER_BYTES_MAX)
      throw new ForgeError("FORGE_FAILED", `the answer of GitHub has more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(Buffer.concat(chunks), { status, statusText, headers });
}
