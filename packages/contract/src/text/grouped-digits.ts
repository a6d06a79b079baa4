/** Writes an integer as `10,000`. `toLocaleString` is avoided because it first loads the data of all languages. */
export function groupedDigits(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}
