/** Every kind of failure that callers may tell apart; HTTP knows each by one status. */
export const ERROR_CODES = [
  'invalid', // the input is wrong; the sentence says what was wanted and found
  'unauthenticated', // nobody is signed in, or the session ended
  'forbidden', // signed in, but without the right
  'not-found',
  'conflict', // the object changed meanwhile
  'rejected', // understood and allowed, but it does not fit the present state
  'stale', // what the decision rests on is too old
  'too-large',
  'too-many', // slow down
  'unavailable', // the cluster or the engine does not answer
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];
