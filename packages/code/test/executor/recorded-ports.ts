// Ports that record their calls.

/** A port whose calls are written to a list by their names. */
export function recorded<Port extends object>(port: Port, calls: string[]): Port {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]): unknown => {
        calls.push(String(name));
        return (value as (...all: readonly unknown[]) => unknown).apply(target, [...given]);
      };
    },
  });
}
