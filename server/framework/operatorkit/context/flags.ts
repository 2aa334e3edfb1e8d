import type { RunContext } from './run-context';

/** False at first, true for ever once set. */
export interface Latch {
  isSet: boolean;
}

/** One flag that runs may carry. Flags are independent; where none is installed, setting does nothing. */
export interface Flag {
  readonly name: string;
  /** Derives a context with a latch of its own, which hides an outer one. Installing nothing leaves the context as it is. */
  newContext(context: RunContext, latch: Latch | null): RunContext;
  fromContext(context: RunContext): Latch | undefined;
  is(context: RunContext): boolean;
  set(context: RunContext): void;
}

/** Defines a flag. Its key is a symbol of its own, so two flags of one name would still differ. */
export function defineFlag(name: string): Flag {
  const key = Symbol(name);
  const fromContext = (context: RunContext) => context.value(key) as Latch | undefined;
  return {
    name,
    newContext: (context, latch) => (latch === null ? context : context.with(key, latch)),
    fromContext,
    is: (context) => fromContext(context)?.isSet ?? false,
    set(context) {
      const latch = fromContext(context);
      if (latch !== undefined) latch.isSet = true;
    },
  };
}

/** A latch that is not set. */
export function newLatch(): Latch {
  return { isSet: false };
}

/** Stop this run after the current step; later resources do not run. Each run installs its own. */
export const reconciliationCanceled = defineFlag('reconciliationCanceled');
/** Skip the remaining steps of this CRUD resource; later resources run. Installed anew for each resource. */
export const resourceCanceled = defineFlag('resourceCanceled');
/** The system is in a state where updating is safe: a convention between resources. */
export const updateAllowed = defineFlag('updateAllowed');
/** Something differs, so an update is wanted: a convention between resources. */
export const updateNecessary = defineFlag('updateNecessary');
/** Destructive steps are permitted: a convention between resources. Nobody installs it unless a set's hook does. */
export const deletionAllowed = defineFlag('deletionAllowed');
/** The deletion is not finished: the finalizer stays and the object comes again. */
export const finalizersKept = defineFlag('finalizersKept');
