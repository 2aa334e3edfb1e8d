/** Every class of failure the framework itself knows. */
export const FRAMEWORK_ERROR_KINDS = [
  'executionFailed',
  'invalidConfig',
  'noResourceSet',
  'invalidEvent',
  'loopDetected',
  'incompatibleUnderlyingResource',
  'nameConflict',
  'notEstablished',
] as const;
export type FrameworkErrorKind = (typeof FRAMEWORK_ERROR_KINDS)[number];

/** The package that raised it: same-named classes of two packages are distinct. */
export type FrameworkErrorOrigin = 'framework' | 'informer' | 'crdClient' | 'wrapper';

const BRAND = Symbol.for('slipway/framework-error');
const WRAPPED = Symbol.for('slipway/wrapped-error');

/** A failure of the framework's own, by its kind; recognised by brand, since a module may be there twice. */
export class FrameworkError extends Error {
  readonly [BRAND] = true;
  readonly kind: FrameworkErrorKind;
  readonly origin: FrameworkErrorOrigin;

  constructor(
    kind: FrameworkErrorKind,
    sentence: string,
    options: { readonly origin?: FrameworkErrorOrigin; readonly cause?: unknown } = {},
  ) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FrameworkError';
    this.kind = kind;
    this.origin = options.origin ?? 'framework';
  }
}

/** What an error is at the bottom of all its wrapping. */
export function rootCause(error: unknown): unknown {
  let at = error;
  while (at instanceof Error && at.cause !== undefined && at.cause !== null) at = at.cause;
  return at;
}

/** Adds to an error where it happened. The class of what is wrapped stays what predicates see; a thrown non-error is kept as cause. */
export function wrapError(error: unknown, where: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new Error(`${where}: ${message}`, { cause: error }), { [WRAPPED]: true });
}

/** What was thrown, without what `wrapError` added: the words of whoever threw it. */
export function unwrapError(error: unknown): unknown {
  let at = error;
  while (at instanceof Error && WRAPPED in at) at = at.cause;
  return at;
}

/** The framework's error at the root, recognised by brand since a module may be loaded twice. */
export function getFrameworkError(error: unknown): FrameworkError | undefined {
  const root = rootCause(error);
  return typeof root === 'object' && root !== null && BRAND in root ? (root as FrameworkError) : undefined;
}

const isKind = (kind: FrameworkErrorKind, origin: FrameworkErrorOrigin) => (error: unknown) => {
  const found = getFrameworkError(error);
  return found?.kind === kind && found.origin === origin;
};

export const isExecutionFailed = isKind('executionFailed', 'framework');
export const isInvalidConfig = isKind('invalidConfig', 'framework');
export const isNoResourceSet = isKind('noResourceSet', 'framework');

/** Refuses a configuration that lacks a part. */
export function requireConfig(given: unknown, name: string, origin: FrameworkErrorOrigin = 'framework'): void {
  if (given === undefined || given === null || given === '')
    throw new FrameworkError('invalidConfig', `${name} must not be empty`, { origin });
}
