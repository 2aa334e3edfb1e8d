import type { Keyed, WindowDelta, WindowSnapshot } from '@/lib/contract/live';
import { foldWindow } from '@/lib/contract/live';

/** The newer of two windows of one topic; of another boot, the one that has just been read. */
export function newerWindow<Row extends Keyed>(held: WindowSnapshot<Row> | undefined, read: WindowSnapshot<Row>): WindowSnapshot<Row> {
  if (held === undefined || held.seq.bootId !== read.seq.bootId) return read;
  return held.seq.seq > read.seq.seq ? held : read;
}

/** What a pushed delta makes of a held window. Folds never create an entry; a delta of another boot asks for reading again. */
export function foldPushed<Row extends Keyed>(
  held: WindowSnapshot<Row> | undefined,
  delta: WindowDelta<Row>,
): { readonly kind: 'folded'; readonly window: WindowSnapshot<Row> } | { readonly kind: 'ignored' } | { readonly kind: 'read-again' } {
  if (held === undefined) return { kind: 'ignored' };
  if (held.seq.bootId !== delta.seq.bootId) return { kind: 'read-again' };
  const window = foldWindow(held, delta);
  if (window === held) return { kind: 'ignored' };
  // A key that is neither held nor sent means a delta was missed: a shorter list would be a lie.
  return window.rows.length === delta.order.length ? { kind: 'folded', window } : { kind: 'read-again' };
}
