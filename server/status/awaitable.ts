/** A value that may be there already. What is held in memory costs no turn of the event loop, and a poll reads tens of thousands. */
export type Awaitable<T> = T | Promise<T>;
