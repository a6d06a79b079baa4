// A command line as far as it is typed, taken apart as a shell would, without expanding anything.

/** A piece of a word: in single quotes, in double quotes, escaped, or plain. A quote that is still open reaches to the end. */
const PIECE = /'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|\\(.?)|([^\s'"\\]+)|(\s+)/gsu;

/** The last word is the one that is being typed; it is empty behind a space. */
export function lineWords(line: string): readonly string[] {
  const words = [""];
  for (const [, single, double, escaped, plain] of line.trimStart().matchAll(PIECE)) {
    const piece = single ?? double?.replaceAll(/\\(["\\$`])/gu, "$1") ?? escaped ?? plain;
    if (piece === undefined) words.push("");
    else words[words.length - 1] += piece;
  }
  return words;
}
