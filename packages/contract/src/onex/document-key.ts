// Between the names of the models' fields and the keys of the document: `timeoutMs` is written `timeout_ms`.

export function documentKey(field: string): string {
  return field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

function fieldName(key: string): string {
  return key.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** The map with the names of fields for keys; what stands under them is left as it is. */
export function toFields(map: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [fieldName(key), value]));
}
