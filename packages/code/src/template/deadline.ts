/** A deadline that begins with a year is a date; every other deadline is a duration. */
export function isDate(deadline: string | number): deadline is string {
  return typeof deadline === "string" && /^\d{4}-/u.test(deadline);
}
