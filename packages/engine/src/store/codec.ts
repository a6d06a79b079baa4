/**
 * What every body passes through on its way into a store and back: encryption, for example (DATA-11). Blocks, values,
 * definitions, messages and logs are bodies; ids, hashes and the projection are not, because a store has to find by them.
 */
export interface Codec {
  encode(body: string): string;
  decode(body: string): string;
}

export const PLAIN: Codec = { encode: (body) => body, decode: (body) => body };
