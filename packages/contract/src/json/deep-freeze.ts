/** Freezes a value and all that is in it. Iterative; values shared by aliases are visited once. */
export function deepFreeze<Value>(value: Value): Value {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each !== "object" || each === null || Object.isFrozen(each)) continue;
    Object.freeze(each);
    for (const inner of Object.values(each)) open.push(inner);
  }
  return value;
}
