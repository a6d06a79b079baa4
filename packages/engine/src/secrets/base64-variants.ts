// Variants of bytes inside base64, for every alignment.
//
// Three bytes become four characters, so there are three alignments. Characters at either end that also depend on a
// neighbouring byte are left out; the rest is constant.

/** The number of leading characters that depend on preceding bytes, by the number of those bytes in the group. */
const LEADING: readonly number[] = [0, 2, 3];

/** The line lengths of PEM and MIME. */
const LINE_LENGTHS: readonly number[] = [64, 76];
/** A shorter last line could occur by chance; it is searched for together with the line before it. */
const REST_MIN = 8;
const LINE_BREAKS: readonly string[] = ["\n", "\r\n", "\\n"];
/** Longer values are searched for in both alphabets, but without escapes: each kind of escape costs as much again. */
const ESCAPED_BYTES_MAX = 256;

export function base64Variants(bytes: Buffer): readonly string[] {
  const inside = LEADING.flatMap((_, offset) => embeddedVariants(bytes, offset));
  const variants = [...inside, ...wrappedVariants(bytes.toString("base64"))];
  const all = [...variants, ...variants.map(inUrlAlphabet)];
  return bytes.length > ESCAPED_BYTES_MAX ? all : [...all, ...variants.flatMap(escapedVariants)];
}

/** Variants in the middle of other data, and at its end, with and without padding. */
function embeddedVariants(bytes: Buffer, offset: number): readonly string[] {
  const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
  const padded = shifted.toString("base64").slice(LEADING[offset]);
  const whole = Math.floor((shifted.length * 8) / 6) - LEADING[offset]!;
  return [padded.slice(0, whole), padded.replace(/=+$/u, ""), padded];
}

/** Line by line, if the secret is all of the encoded data or its beginning. */
function wrappedVariants(padded: string): readonly string[] {
  const text = padded.replace(/=+$/u, "");
  return LINE_LENGTHS.filter((length) => text.length > length).flatMap((length) => {
    const lines = Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
      text.slice(index * length, (index + 1) * length),
    );
    // The last character may depend on following bytes.
    const rest = lines.pop()!.slice(0, -1);
    return rest.length >= REST_MIN
      ? [...lines, rest]
      : [...lines, ...LINE_BREAKS.map((lineBreak) => `${lines.at(-1)!}${lineBreak}${rest}`)];
  });
}

function inUrlAlphabet(text: string): string {
  return text.replaceAll("+", "-").replaceAll("/", "_");
}

/** The standard alphabet, escaped for URLs and for JSON. */
function escapedVariants(text: string): readonly string[] {
  if (!/[+/=]/u.test(text)) return [];
  return [
    text.replaceAll("+", "%2B").replaceAll("/", "%2F").replaceAll("=", "%3D"),
    text.replaceAll("+", "%2b").replaceAll("/", "%2f").replaceAll("=", "%3d"),
    text.replaceAll("/", "\\/"),
    text.replaceAll("+", "\\u002B"),
    text.replaceAll("+", "\\u002b").replaceAll("/", "\\u002f").replaceAll("=", "\\u003d"),
  ];
}
