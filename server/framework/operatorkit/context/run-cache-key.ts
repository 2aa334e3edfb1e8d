import type { RunContext } from './run-context';

const KEY = Symbol('runCacheKey');

/** Names one run, so that its resources can share what was expensive to read, and no other run sees it. */
export function withRunCacheKey(context: RunContext, controllerName: string, loop: number): RunContext {
  return context.with(KEY, `${controllerName}-${loop}`);
}

/** The key of this run: `<controller>-<loop>`. */
export function getRunCacheKey(context: RunContext): string | undefined {
  return context.value(KEY) as string | undefined;
}
