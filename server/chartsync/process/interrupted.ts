/** Something was ended since its server stops, or does not act any more: that says nothing of what it would have come to. */
export class Interrupted extends Error {}

/** Whether something ended for that, and not by itself. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof Interrupted || (error instanceof Error && isInterrupted(error.cause));
}
