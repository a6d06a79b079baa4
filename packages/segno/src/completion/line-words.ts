// Splits an incomplete command line into words as a shell does, without expansion.

/** A piece of a word: in single quotes, in double quotes, escaped, or plain. An open quote reaches to the end. */
const PIECE = /'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)|([^\s'"\\]+)|(\s+)/gsu;

/** The last word is being typed; it is empty after a space. */
export function lineWords(line: string): readonly string[] {
  const words = [""];
  for (const [, single, double, escaped, plain] of line.trimStart().matchAll(PIECE)) {
    const piece = single ?? double?.replaceAll(/\\(["\\$`])/gu, "$1") ?? escaped ?? plain;
    if (piece === undefined) words.push("");
    else words[words.length - 1] += piece;
  }
  return words;
}
