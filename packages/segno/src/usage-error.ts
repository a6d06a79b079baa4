/** The command line cannot be understood: an argument has a form that no file or contract could make right. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
