/** Waits for all, also where one fails: what was begun is heard of before the first failure, in this order, is thrown. */
export async function settleAll(works: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  for (const one of await Promise.allSettled(works)) if (one.status === 'rejected') throw one.reason;
}
