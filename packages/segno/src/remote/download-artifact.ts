// Writes a file that a server sends. It appears under its name only when all of it has come and its hash is right.

import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

import { SegnoError, type StepArtifact } from "@segno/kernel";

export async function downloadArtifact(
  content: AsyncIterable<Uint8Array>,
  { step, path, hash }: StepArtifact,
  to: string,
): Promise<void> {
  const partial = `${to}.${randomUUID()}.part`;
  const hasher = createHash("sha256");
  try {
    await pipeline(
      content,
      async function* hashed(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hasher.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(partial, { flags: "wx" }),
    );
    if (hasher.digest("hex") !== hash)
      throw new SegnoError("ARTIFACT_DAMAGED", `\`${path}\` of \`${step}\` did not arrive as it was kept`);
    await rename(partial, to);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
