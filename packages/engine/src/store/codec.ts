import { SegnoError } from "@segno/kernel";
import { onRejected, isThenable } from "../checks/thenable.ts";

/**
 * Transforms every body on its way into a store and back, for example to encrypt it (DATA-11). Blocks, values,
 * definitions, messages, logs and the bodies of documents are bodies. Ids, hashes, the projection, and kinds and keys of
 * documents are not bodies, because a store searches by them.
 */
export interface Codec {
  encode(body: string): string;
  decode(body: string): string;
}

/**
 * Wraps a codec so that each result must be a string. A store writes within a transaction and cannot wait, so a codec
 * that returns a promise fails like one that throws. The promise is never stored.
 */
export function checkedCodec(codec: Codec): Codec {
  return {
    encode: (body) => checkCodecText("encode", codec.encode(body)),
    decode: (body) => checkCodecText("decode", codec.decode(body)),
  };
}

function checkCodecText(method: keyof Codec, result: unknown): string {
  if (typeof result === "string") return result;
  onRejected(result, () => undefined);
  const given = isThenable(result) ? "a promise" : typeof result;
  throw new SegnoError(
    "CALLBACK_FAILED",
    `\`${method}\` of the codec must return text synchronously, but returned ${given}`,
  );
}

export const PLAIN: Codec = { encode: (body) => body, decode: (body) => body };
