import type { ErrorCode } from './error-code';

const BRAND = Symbol.for('slipway/app-error');

/** A failure with a code, a sentence for people and, where it helps, details. */
export class AppError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    sentence: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(sentence, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
  }
}

/** Recognises our error by brand, since bundlers may load the class twice. */
export function isAppError(error: unknown): error is AppError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
