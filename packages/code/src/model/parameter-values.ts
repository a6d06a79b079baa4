export type ParameterValue = string | number | boolean;
/** Values that were checked, with the defaults. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;
