import type { Keyed, WindowSnapshot } from '@/lib/contract/live';
import type { SessionView } from '@/lib/contract/requests';
import type { Refusals, RightsOf } from '@/lib/contract/rights-of';

/** What a page may read on the server, already bound to a signed-in session. */
export interface Reads {
  readonly session: SessionView;
  /** The first answer of a topic, as a subscription would give it; throws AppError forbidden or not-found. */
  snapshot(topic: string): Promise<WindowSnapshot<Keyed>>;
  /** What the session may do; undefined where that may not be read, or takes longer than a page waits for it. */
  rights(of: RightsOf): Promise<Refusals | undefined>;
}

/** The running engine as pages see it. Plain data and functions only: `app/` is bundled apart from the server. */
export interface Runtime {
  readonly bootId: string;
  /** How people sign in: by the address that the start prints, by a bearer token of the cluster, or with a provider. */
  readonly signIn: SessionView['mode'];
  /** The address people open, where a setting names it; links that leave the page start with it. */
  readonly publicUrl?: string | undefined;
  /** The address that a sign-in provider sends people back to; absent where none does. */
  readonly signInAt?: () => string;
  /** Resolves the session of a cookie header; undefined when nobody is signed in. */
  reads(cookieHeader: string | null): Promise<Reads | undefined>;
}

const SLOT = Symbol.for('slipway/runtime');
type Host = typeof globalThis & { [SLOT]?: Runtime };

/** Puts the running engine where pages find it. */
export function installRuntime(installed: Runtime): void {
  (globalThis as Host)[SLOT] = installed;
}

/** The running engine; throws where none runs, as in `next build`. */
export function runtime(): Runtime {
  const installed = (globalThis as Host)[SLOT];
  if (installed === undefined) throw new Error('the engine is not started');
  return installed;
}
