'use client';

import { changeListUrl } from '@/components/live/address/list-url';
import { useAddress } from '@/components/live/address/use-address';
import type { LogLevel } from './lines/log-level';
import { LOG_LEVELS } from './lines/log-level';

/** Whose log a page shows. */
export type LogPlace = { readonly ns: string } & ({ readonly pod: string } | { readonly application: string });

/** Which part of a log is read, and how it is shown, as the address of the page has it. */
export interface LogAddress {
  readonly revision: string | undefined;
  readonly pod: string | undefined;
  readonly container: string | undefined;
  readonly previous: boolean;
  readonly follow: boolean;
  readonly since: string | undefined;
  readonly tail: string | undefined;
  readonly q: string;
  readonly only: boolean;
  readonly level: LogLevel | undefined;
  readonly wrap: boolean;
  readonly times: boolean;
}
export type LogChange = { readonly [Member in keyof LogAddress]?: LogAddress[Member] | null };

/** Reads the address; what it cannot mean is left out. */
export function parseLogAddress(params: URLSearchParams): LogAddress {
  const text = (name: string) => params.get(name) || undefined;
  const previous = params.get('previous') === '1';
  return {
    revision: text('revision'),
    pod: text('pod'),
    container: text('container'),
    previous,
    follow: !previous && params.get('follow') !== '0',
    since: text('since'),
    tail: text('tail'),
    q: params.get('q') ?? '',
    only: params.get('only') === '1',
    level: LOG_LEVELS.find((level) => level === params.get('level')),
    wrap: params.get('wrap') !== '0',
    times: params.get('times') !== '0',
  };
}

/** What stands in the address unless it is otherwise. */
const USUAL: readonly (keyof LogAddress)[] = ['follow', 'wrap', 'times'];

/** The text of an address after a change. What is as usual is left out, so that a link says what is meant. */
export function changeLogAddress(params: URLSearchParams, change: LogChange): string {
  const written = Object.entries(change).map(([name, value]) => {
    if (!USUAL.some((usual) => usual === name)) return [name, value];
    return [name, value === false ? '0' : null];
  });
  return changeListUrl(params, Object.fromEntries(written));
}

/** Everything that is chosen on a page of logs lives in its address, the search too. */
export function useLogAddress(): { readonly address: LogAddress; readonly change: (change: LogChange) => void } {
  const { params, write } = useAddress();
  const change = (wanted: LogChange) => {
    write(changeLogAddress(new URLSearchParams(globalThis.location.search), wanted));
  };
  return { address: parseLogAddress(params), change };
}

/** Where the server is asked for it. */
export function toStreamUrl(
  place: LogPlace,
  { revision, pod, container, previous, follow, since, tail }: LogAddress,
  from?: string,
): string {
  const query = new URLSearchParams({
    ...(follow && { follow: 'true' }),
    ...(previous && { previous: 'true' }),
    ...(container && { container }),
    ...('application' in place && revision && { revision }),
    ...('application' in place && pod && { pod }),
    // What was read until the connection broke is not read again.
    ...(from ? { since: from } : { ...(since && { since }), ...(tail && { tail }) }),
  });
  const ns = `/api/v1/namespaces/${encodeURIComponent(place.ns)}`;
  const path =
    'pod' in place ? `/pods/${encodeURIComponent(place.pod)}/log` : `/applications/${encodeURIComponent(place.application)}/logs`;
  return `${ns}${path}?${query}`;
}
