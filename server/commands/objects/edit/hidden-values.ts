import { AppError } from '@/lib/contract/app-error';
import { isFields, readString } from '@/lib/kube/fields';
import { carriesMask } from '@/lib/kube/mask';
import { deepEqual } from '@/lib/std/deep-equal';

/**
 * What somebody wrote, with what was hidden from them as it is: a mask where it was shown keeps the value, and members that were not shown at all
 * stay. Throws invalid for a mask anywhere else, which would replace a value by dots.
 */
export function withHidden(written: unknown, shown: unknown, live: unknown): unknown {
  const whole = keep(written, shown, live);
  if (!carriesMask(whole)) return whole;
  throw new AppError(
    'invalid',
    'the manifest contains masked values where none were shown; a mask stands for its value only where it was shown, so write the value itself anywhere else',
  );
}

function keep(written: unknown, shown: unknown, live: unknown): unknown {
  if (carriesMask(written) && deepEqual(written, shown)) return live;
  if (Array.isArray(written)) return written.map((entry, at) => keep(entry, entryOf(shown, entry, at), entryOf(live, entry, at)));
  if (!isFields(written)) return written;
  const [seen, held] = [isFields(shown) ? shown : {}, isFields(live) ? live : {}];
  const own = Object.entries(written).map(([name, value]) => [name, keep(value, seen[name], held[name])]);
  const unshown = Object.entries(held).filter(([name]) => isFields(shown) && !(name in seen) && !(name in written));
  return Object.fromEntries([...own, ...unshown]);
}

/** An entry of a list is found by its name, which stays when others come before it; else by its place. */
function entryOf(list: unknown, written: unknown, at: number): unknown {
  if (!Array.isArray(list)) return undefined;
  const name = readString(written, 'name');
  return name === undefined ? list[at] : list.find((entry) => readString(entry, 'name') === name);
}
