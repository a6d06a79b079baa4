/** Only the fields that have a value: what was not written is absent in a plan, as it is in a definition. */
export function omitUndefined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const written = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(written) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}
