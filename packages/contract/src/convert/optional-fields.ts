// Helpers for optional fields: an absent field has no key, not even with the value `undefined`.

/** Returns `{ [key]: convert(value) }`, or `{}` if there is no value. */
export function mapField<Key extends string, Value, Result>(
  key: Key,
  value: Value | undefined,
  convert: (value: Value) => Result,
): Readonly<Partial<Record<Key, Result>>> {
  return (value === undefined ? {} : { [key]: convert(value) }) as Readonly<Partial<Record<Key, Result>>>;
}

export function mapValues<Value, Result>(
  map: Readonly<Record<string, Value>>,
  convert: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));
}

export function without<Fields extends object, Key extends keyof Fields & string>(
  fields: Fields,
  keys: readonly Key[],
): Omit<Fields, Key> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key as Key))) as Omit<Fields, Key>;
}

/** Sorts the fields in this order; fields that the order does not name come last. */
export function inOrder<Fields extends object>(fields: Fields, order: readonly string[]): Fields {
  const rank = new Map(order.map((key, index) => [key, index]));
  const position = ([key]: [string, unknown]): number => rank.get(key) ?? order.length;
  return Object.fromEntries(Object.entries(fields).toSorted((a, b) => position(a) - position(b))) as Fields;
}
