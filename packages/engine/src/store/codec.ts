import { SegnoError } from "@segno/kernel";
import { hearRejection, isThenable } from "../checks/thenable.ts";

/**
 * What every body passes through on its way into a store and back: encryption, for example (DATA-11). Blocks, values,
 * definitions, messages and logs are bodies; ids, hashes and the projection are not, because a store has to find by them.
 */
export interface Codec {
  encode(body: string): string;
  decode(body: string): string;
}

/**
 * A codec whose every answer is text. A store writes within a transaction and cannot wait, so a codec that gives a promise gives
 * no answer: it fails as one that throws does, and nothing of the promise is stored in its place.
 */
export function answeringCodec(codec: Codec): Codec {
  return {
    encode: (body) => checkCodecText("encode", codec.encode(body)),
    decode: (body) => checkCodecText("decode", codec.decode(body)),
  };
}

function checkCodecText(method: keyof Codec, answer: unknown): string {
  if (typeof answer === "string") return answer;
  hearRejection(answer, () => undefined);
  const given = isThenable(answer) ? "a promise" : typeof answer;
  throw new SegnoError("CALLBACK_FAILED", `\`${method}\` of the codec is to give text at once, and gave ${given}`);
}

export const PLAIN: Codec = { encode: (body) => body, decode: (body) => body };
