// Converts between the models' fields and the document's keys: `timeoutMs` is written `timeout_ms`.

export function documentKey(field: string): string {
  return field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

function fieldName(key: string): string {
  return key.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** Renames the keys of a map to fields. Nested values stay unchanged. */
export function toFields(map: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [fieldName(key), value]));
}
