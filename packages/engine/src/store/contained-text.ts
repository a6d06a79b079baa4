/** Whether one of the texts contains the wanted one. Letters from A to Z match in both cases. */
export function containsText(wanted: string, texts: readonly string[]): boolean {
  const lower = lowerCase(wanted);
  return texts.some((text) => lowerCase(text).includes(lower));
}

/** Only the letters of ASCII, so that every store can do the same. */
export function lowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/gu, (letters) => letters.toLowerCase());
}
