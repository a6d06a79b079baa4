/**
 * Freezes a value and all values in it, and returns it. A container that is frozen already is skipped with its content, so an
 * alias is visited once. Scalars are skipped before they are queued, because a list may have millions of numbers.
 */
export function deepFreeze<Value>(value: Value): Value {
  if (!isUnfrozen(value)) return value;
  const open: object[] = [value];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    Object.freeze(each);
    for (const inner of Array.isArray(each) ? (each as unknown[]) : Object.values(each))
      if (isUnfrozen(inner)) open.push(inner);
  }
  return value;
}

function isUnfrozen(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Object.isFrozen(value);
}
