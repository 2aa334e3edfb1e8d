import type { Within } from '@/lib/contract/lists/within';
import { toWithin } from '@/lib/contract/lists/within';
import type { Keyed, WindowDelta } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import type { ViewSource } from './live-window';
import { countFromOne, createWindow } from './live-window';
import type { LiveWindow, RelatedVisibility, Seen, Visibility } from './window';

type Open = (topic: Topic, visibility: Visibility, beside?: RelatedVisibility) => LiveWindow | undefined;

/** All that a reader may see of a view. */
export function toSeen(visibility: Visibility, { releases = [], olderReleases = [], flux = [] }: RelatedVisibility): Seen {
  return { visibility, releases, olderReleases, flux };
}

/** Names what those see of a topic who may see these namespaces, and what is beside it. */
export function nameView(topic: Topic, visibility: Visibility, beside: RelatedVisibility = {}): string {
  const seen = Object.values(toSeen(visibility, beside)).map((namespaces) =>
    namespaces === 'all' ? '*' : [...namespaces].sort().join(','),
  );
  return `${formatTopic(topic)} ${seen.join(' ')}`;
}

/** Opens windows; equal ones are one, which ends with its last use. Undefined where a topic has no source. */
export function createWindows(
  bootId: string,
  sourceOf: (topic: Topic, visibility: Visibility, beside: RelatedVisibility) => ViewSource | undefined,
  servesFlux: () => boolean,
): Open {
  const windows = new Map<string, { readonly window: LiveWindow; uses: number }>();
  // A window that is opened again begins beyond where it ended: an older position must never pass for known.
  const nextPosition = countFromOne();
  return (topic, visibility, beside = {}) => {
    const name = nameView(topic, visibility, beside);
    const source = windows.has(name) ? undefined : sourceOf(topic, visibility, beside);
    if (source !== undefined)
      windows.set(name, { window: createWindow(formatTopic(topic), bootId, source, () => undefined, nextPosition), uses: 0 });
    const held = windows.get(name);
    if (held === undefined) return undefined;
    held.uses++;
    const flux = servesFlux() ? fluxLimitOf(topic, visibility, beside) : undefined;
    return shareWindow(held.window, { within: limitOf(topic, visibility, beside), flux }, () => {
      if (--held.uses > 0) return;
      windows.delete(name);
      held.window.release();
    });
  };
}

/** The namespaces that a topic is limited to: of releases, those of either sort. */
function limitOf(topic: Topic, visibility: Visibility, { releases = [] }: RelatedVisibility): Within | undefined {
  if (topic.kind !== 'releases' || visibility === 'all' || releases === 'all') return toWithin(visibility);
  return toWithin([...visibility, ...releases]);
}

/** What of a list its reader may see. */
interface Limits {
  readonly within: Within | undefined;
  readonly flux: FluxLimit | undefined;
}

interface FluxLimit {
  readonly within: Within;
  /** Others are seen where these are not. */
  readonly isLess: boolean;
}

/** The namespaces that the releases which Flux drives are limited to, beside the others of the list. */
function fluxLimitOf(topic: Topic, visibility: Visibility, { releases = [] }: RelatedVisibility): FluxLimit | undefined {
  const within = topic.kind === 'releases' ? toWithin(releases) : undefined;
  const isLess = releases !== 'all' && (visibility === 'all' || visibility.some((ns) => !releases.includes(ns)));
  return within && { within, isLess };
}

function shareWindow(window: LiveWindow, { within, flux }: Limits, onRelease: () => void): LiveWindow {
  let released = false;
  /** Rows that Flux drives are in a list where the others of it are, unless it is said that they are seen in fewer namespaces. */
  const limited = <Told extends WindowDelta<Keyed>>(told: Told): Told => ({
    ...told,
    ...(within && { within }),
    ...(flux && (flux.isLess || told.total === 0) && { fluxWithin: flux.within }),
  });
  return {
    ...window,
    snapshot: () => limited(window.snapshot()),
    refresh() {
      const delta = window.refresh();
      return delta && limited(delta);
    },
    release() {
      if (released) return;
      released = true;
      onRelease();
    },
  };
}
