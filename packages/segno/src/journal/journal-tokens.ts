import type { Engine } from "@segno/engine";
import { SegnoError } from "@segno/kernel";
import { Tokens } from "@segno/server/tokens";

/** The tokens that the journal of this engine keeps. */
export function tokensOf(engine: Engine): Tokens {
  const { documents } = engine.extensions;
  if (documents === undefined) throw new SegnoError("STORE_UNSUPPORTED", "this journal keeps no tokens");
  return new Tokens(documents);
}
