/** The command line is invalid: an argument has a form that is wrong for every file and contract. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
