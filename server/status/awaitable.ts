/** What is answered at once or later. What is held in memory is answered at once: promises cost more than most readings. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Goes on with a value, at once when it is there. */
export function mapAwaitable<From, To>(value: Awaitable<From>, next: (value: From) => Awaitable<To>): Awaitable<To> {
  return value instanceof Promise ? value.then(next) : next(value);
}
