import { AppError } from '@/lib/contract/app-error';
import { isFields, readField, readString } from '@/lib/kube/fields';
import { carriesMask, maskForReading } from '@/lib/kube/mask';
import { deepEqual } from '@/lib/std/deep-equal';

type Path = readonly (string | number)[];

/** One place as it was written, as it was shown, and as it is. */
type Sides = readonly [written: unknown, shown: unknown, live: unknown];

/** A text that keeps its value, as it was written with a mask in it. */
interface Kept {
  readonly path: Path;
  readonly text: string;
}

/**
 * What somebody wrote, with what was hidden from them as it is: a mask where it was shown keeps the value, and members that were not shown at all
 * stay. Throws invalid for a mask anywhere else, which would replace a value by dots, and where what is around one would have it shown from now on:
 * as what is no Secret any more, or no sensitive variable.
 */
export function withHidden(written: unknown, shown: unknown, live: unknown): unknown {
  const kept: Kept[] = [];
  const whole = keep([written, shown, live], [], kept);
  if (carriesMask(whole))
    throw new AppError(
      'invalid',
      'the manifest contains masked values where none were shown; a mask stands for its value only where it was shown, so write the value itself anywhere else',
    );
  const told = kept.length === 0 ? whole : maskForReading(whole).value;
  const bare = kept.find(({ path, text }) => readField(told, ...path) !== text);
  if (bare === undefined) return whole;
  throw new AppError(
    'invalid',
    `the manifest would show the value of ${bare.path.join('.')}, which is hidden where it stands now; write the value itself`,
  );
}

function keep([written, shown, live]: Sides, path: Path, kept: Kept[]): unknown {
  if (carriesMask(written) && deepEqual(written, shown)) {
    kept.push(...masksIn(written, path));
    return live;
  }
  if (Array.isArray(written))
    return written.map((entry, at) => keep([entry, entryOf(shown, entry, at), entryOf(live, entry, at)], [...path, at], kept));
  if (!isFields(written)) return written;
  const [seen, held] = [isFields(shown) ? shown : {}, isFields(live) ? live : {}];
  const own = Object.entries(written).map(([name, value]) => [name, keep([value, seen[name], held[name]], [...path, name], kept)]);
  const unshown = Object.entries(held).filter(([name]) => isFields(shown) && !(name in seen) && !(name in written));
  return Object.fromEntries([...own, ...unshown]);
}

function* masksIn(value: unknown, path: Path): Iterable<Kept> {
  if (typeof value === 'string' && carriesMask(value)) yield { path, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* masksIn(member, [...path, name]);
}

/** An entry of a list is found by its name, which stays when others come before it; else by its place. */
export function entryOf(list: unknown, written: unknown, at: number): unknown {
  if (!Array.isArray(list)) return undefined;
  const name = readString(written, 'name');
  return name === undefined ? list[at] : list.find((entry) => readString(entry, 'name') === name);
}
