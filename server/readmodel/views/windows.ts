import type { Keyed, WindowDelta } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import { formatTopic } from '@/lib/contract/topic';
import type { Limits, Served } from './limits';
import { limitsOf } from './limits';
import type { ViewSource } from './live-window';
import { countFromOne, createWindow } from './live-window';
import type { LiveWindow, RelatedVisibility, Visibility, WindowVisibility } from './window';

type Open = (topic: Topic, visibility: Visibility, beside?: RelatedVisibility) => LiveWindow | undefined;

/** All that a reader may see of a view. */
export function toWindowVisibility(
  visibility: Visibility,
  { releases = [], olderReleases = [], flux = [] }: RelatedVisibility,
): WindowVisibility {
  return { visibility, releases, olderReleases, flux };
}

/** Names what those see of a topic who may see these namespaces, and what is beside it. */
export function nameView(topic: Topic, visibility: Visibility, beside: RelatedVisibility = {}): string {
  const seen = Object.values(toWindowVisibility(visibility, beside)).map((namespaces) =>
    namespaces === 'all' ? '*' : [...namespaces].sort().join(','),
  );
  return `${formatTopic(topic)} ${seen.join(' ')}`;
}

/** Opens windows; equal ones are one, which ends with its last use. Undefined where a topic has no source. */
export function createWindows(
  bootId: string,
  sourceOf: (topic: Topic, visibility: Visibility, beside: RelatedVisibility) => ViewSource | undefined,
  served: Served,
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
    return shareWindow(held.window, limitsOf(topic, toWindowVisibility(visibility, beside), served), () => {
      if (--held.uses > 0) return;
      windows.delete(name);
      held.window.release();
    });
  };
}

function shareWindow(window: LiveWindow, limits: Limits, onRelease: () => void): LiveWindow {
  let released = false;
  const limited = <Told extends WindowDelta<Keyed>>(told: Told): Told => ({ ...told, ...limits(told.total === 0) });
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
