/** The fields that are given. Zod gives optional fields the value undefined, which options of the engine do not have. */
export function withoutAbsent<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
