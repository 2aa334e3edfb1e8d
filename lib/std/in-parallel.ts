/** Works through a list with so many at once. After the first failure nothing new starts; what is under way ends. */
export async function inParallel<Item>(items: readonly Item[], concurrency: number, work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  let failed = false;
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined && !failed; item = queue.shift()) {
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const failure = workers.find((one) => one.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
