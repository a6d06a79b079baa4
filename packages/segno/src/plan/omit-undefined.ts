/** Drops fields without a value: an optional field that is not set is absent in a plan, as in a definition. */
export function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const written = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}
