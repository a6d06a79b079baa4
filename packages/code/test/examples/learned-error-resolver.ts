// An error resolution strategy: a model proposes a resolution, and an unsure proposal is left to another strategy.

import type { ErrorContext, ErrorResolution, ErrorResolutionStrategy } from "../../src/index.ts";

export interface Prediction {
  readonly resolution: ErrorResolution;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** Any function will do: a table of known errors, or a call of a trained model. */
export type ErrorModel = (pattern: string, context: ErrorContext) => Prediction;

export class LearnedErrorResolver implements ErrorResolutionStrategy {
  readonly #model: ErrorModel;
  readonly #defaultStrategy: ErrorResolutionStrategy;
  readonly #threshold: number;

  constructor(model: ErrorModel, defaultStrategy: ErrorResolutionStrategy, threshold = 0.8) {
    this.#model = model;
    this.#defaultStrategy = defaultStrategy;
    this.#threshold = threshold;
  }

  resolve(error: Error, context: ErrorContext): ErrorResolution | Promise<ErrorResolution> {
    const { resolution, confidence } = this.#model(extractPattern(error), context);
    return confidence > this.#threshold ? resolution : this.#defaultStrategy.resolve(error, context);
  }
}

/** The message without numbers, so that the same error has the same pattern. */
function extractPattern({ message }: Error): string {
  return message.replaceAll(/\d+/gu, "0");
}
