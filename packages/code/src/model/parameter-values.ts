/** The value of a parameter of a template. */
export type ParameterValue = string | number | boolean;
/** Values that were checked, with the defaults. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** The environment variable with the value of a parameter, for commands of the template. */
export function parameterVariable(name: string): string {
  return `SEGNO_PARAM_${name}`;
}

export function parameterVariables(values: ParameterValues): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [parameterVariable(name), String(value)]));
}
