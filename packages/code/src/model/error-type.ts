// The types of errors of code workflows, in three classes.

/** The types of errors that resolutions and metrics distinguish. */
export const ErrorType = {
  NetworkTimeout: "network_timeout",
  AgentTimeout: "agent_timeout",
  ResourceUnavailable: "resource_unavailable",

  MergeConflict: "merge_conflict",
  CIFailure: "ci_failure",
  TestFailure: "test_failure",
  BuildFailure: "build_failure",

  InvalidTemplate: "invalid_template",
  MissingDependency: "missing_dependency",
  ConfigurationError: "configuration_error",
  AuthenticationError: "authentication_error",
} as const;

export type ErrorType = (typeof ErrorType)[keyof typeof ErrorType];

/** The class decides what follows: another attempt, a fix task, or a question to a person. */
export type ErrorClass = "transient" | "recoverable" | "permanent";

const CLASSES: Readonly<Record<ErrorType, ErrorClass>> = {
  network_timeout: "transient",
  agent_timeout: "transient",
  resource_unavailable: "transient",
  merge_conflict: "recoverable",
  ci_failure: "recoverable",
  test_failure: "recoverable",
  build_failure: "recoverable",
  invalid_template: "permanent",
  missing_dependency: "permanent",
  configuration_error: "permanent",
  authentication_error: "permanent",
};

export const ERROR_TYPES: readonly ErrorType[] = Object.values(ErrorType);

export function classOfError(type: ErrorType): ErrorClass {
  return CLASSES[type];
}
