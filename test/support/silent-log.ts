import type { Log } from '@/server/platform';

const nothing = () => undefined;

/** A logger that says nothing. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silentLog };
