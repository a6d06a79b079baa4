// Strings are sequences of code points in JMESPath; JavaScript counts UTF-16 units. The two differ only for surrogates, so strings
// without surrogates take the fast path.

const SURROGATE = /[\uD800-\uDFFF]/;

function isPairAt(text: string, unit: number): boolean {
  const high = text.charCodeAt(unit);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(unit + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

export function hasSurrogates(text: string): boolean {
  return SURROGATE.test(text);
}

export function codePointLength(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let count = 0;
  for (let unit = 0; unit < text.length; unit += isPairAt(text, unit) ? 2 : 1) count += 1;
  return count;
}

/** The UTF-16 offset of the code point with this index. */
export function unitOffset(text: string, codePoint: number): number {
  if (!hasSurrogates(text)) return Math.min(codePoint, text.length);
  let unit = 0;
  for (let left = codePoint; left > 0 && unit < text.length; left -= 1) unit += isPairAt(text, unit) ? 2 : 1;
  return unit;
}

/** The start of the code point that ends before `unit`. */
export function previousCodePoint(text: string, unit: number): number {
  return unit >= 2 && isPairAt(text, unit - 2) ? unit - 2 : unit - 1;
}

/** The start of the code point after the one at `unit`. */
export function nextCodePoint(text: string, unit: number): number {
  return isPairAt(text, unit) ? unit + 2 : unit + 1;
}
