// The problem that a server answered, as an error (RFC 9457).

import { SegnoError } from "@segno/kernel";

/** One fault of a request. `pointer` is a JSON Pointer into its body, or names a header or a parameter. */
export interface ApiProblem {
  readonly detail: string;
  readonly pointer: string;
}

/** The parts of an answer that is not a success. */
export interface ApiErrorParts {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly problems?: readonly ApiProblem[];
  readonly retryAfter?: number | undefined;
}

/** The server refused a request, or could not carry it out. */
export class ApiError extends SegnoError {
  override readonly name: string = "ApiError";
  /** The status of the answer. */
  readonly status: number;
  /** The faults of the request, if the server lists them. */
  readonly problems: readonly ApiProblem[];
  /** The seconds after which the request may be sent again, if the server says so. */
  readonly retryAfter: number | undefined;

  constructor({ code, message, status, problems = [], retryAfter }: ApiErrorParts) {
    super(code, message);
    this.status = status;
    this.problems = problems;
    this.retryAfter = retryAfter;
  }
}

/** Reads the problem document of an answer. An answer without one comes from another program, such as a proxy. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status } = response;
  const retryAfter = secondsIn(response.headers.get("retry-after"));
  const body: unknown = await response.json().catch(() => undefined);
  if (!isProblemBody(body)) {
    const message = `the server answered with the status ${status} and no problem document`;
    return new ApiError({ code: "SERVER_ANSWER_INVALID", message, status, retryAfter });
  }
  const { code, detail, problems = [] } = body;
  return new ApiError({ code, message: detail, status, problems, retryAfter });
}

interface ProblemBody {
  readonly code: string;
  readonly detail: string;
  readonly problems?: readonly ApiProblem[];
}

function isProblemBody(body: unknown): body is ProblemBody {
  if (typeof body !== "object" || body === null) return false;
  const { code, detail } = body as Partial<ProblemBody>;
  return typeof code === "string" && typeof detail === "string";
}

function secondsIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,6}$/u.test(text) ? Number(text) : undefined;
}
