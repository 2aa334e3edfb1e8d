import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';

/** Classes of SQLSTATE of a server that is gone, full, ending or broken; any other is a fault of ours. */
const OUTAGES = new Set(['08', '53', '57', '58']);
const OF_THE_SYSTEM = /^E[A-Z]{2,}$/;
/** What the driver says without a code. */
const LOST = /^Connection terminated|^timeout exceeded when trying to connect|connection error and is not queryable/;

/**
 * A part of the store whose failures say why, and nothing else: the driver repeats the query with its values, and those have no business in a log.
 * A store that does not answer is told as unavailable.
 */
export function withStoreErrors<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      return typeof member === 'function' ? (...given: unknown[]) => guard(Reflect.apply(member, target, given)) : member;
    },
  });
}

function guard(answer: unknown): unknown {
  if (answer instanceof Promise) return answer.catch(rethrow);
  return isIterable(answer) ? guardEach(answer) : answer;
}

async function* guardEach(lines: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* lines;
  } catch (error) {
    rethrow(error);
  }
}

function rethrow(error: unknown): never {
  if (isAppError(error)) throw error;
  const root = rootOf(error);
  const reason = rootReason(error);
  if (isOutage(root)) throw new AppError('unavailable', `the store does not answer: ${reason}`, { cause: root });
  throw error === root ? error : new Error(reason, { cause: root });
}

/** What failed at the bottom: the store's own error repeats the query, and a person needs to know why it did not work. */
export function rootReason(error: unknown): string {
  const root = rootOf(error);
  // A refused connection that was tried on several addresses has a code and no message.
  return messageOf(root) || codeOf(root) || 'no reason given';
}

function isOutage(root: unknown): boolean {
  const code = codeOf(root) ?? '';
  return OF_THE_SYSTEM.test(code) || OUTAGES.has(code.slice(0, 2)) || LOST.test(messageOf(root));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error;
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}
