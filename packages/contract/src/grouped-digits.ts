/** A whole number as people read it: `10,000`. The language's own way loads the data of all languages first. */
export function groupedDigits(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}
