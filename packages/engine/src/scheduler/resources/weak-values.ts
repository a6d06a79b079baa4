// Values by key, each as long as anything else uses it. So keys that are made for one execution do not add up.

export class WeakValues<Value extends object> {
  readonly #values = new Map<string, WeakRef<Value>>();
  readonly #collected = new FinalizationRegistry<string>((key) => {
    // The key may have a new value by now.
    if (this.#values.get(key)?.deref() === undefined) this.#values.delete(key);
  });

  getOrCreate(key: string, create: () => Value): Value {
    const known = this.#values.get(key)?.deref();
    if (known !== undefined) return known;
    const value = create();
    this.#values.set(key, new WeakRef(value));
    this.#collected.register(value, key);
    return value;
  }

  *values(): Iterable<Value> {
    for (const each of this.#values.values()) {
      const value = each.deref();
      if (value !== undefined) yield value;
    }
  }
}
