import { onTestFinished } from 'vitest';

/** Closes what a test opened once the test has ended, also when it fails; what was opened last goes first. */
export function use<Opened extends Disposable | AsyncDisposable>(one: Opened): Opened {
  onTestFinished(async () => {
    if (Symbol.asyncDispose in one) await one[Symbol.asyncDispose]();
    else one[Symbol.dispose]();
  });
  return one;
}
