import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readFields } from '@/lib/kube/fields';
import { carriesMask, MASK, maskForReading } from '@/lib/kube/mask';
import { deepEqual } from '@/lib/std/deep-equal';

type Path = readonly (string | number)[];

/** A place that keeps its value, and what was shown of it. */
interface Filled {
  readonly path: Path;
  readonly text: string;
}

/** One place as it was written, as it was shown, and as it is stored. */
type Sides = readonly [written: unknown, shown: unknown, stored: unknown];

/**
 * The values with the stored one for each text with a mask in it that stands where it was shown: in the manifest of a Secret, in a sensitive variable, in
 * place of a text that holds a Secret, or in an address. Only as a whole, and in a list only while its members are those that were shown: a mask has no value
 * moved to where it can be read.
 */
export function withKeptReleaseValues(written: Fields, held: Fields): Fields {
  if (!carriesMask(written)) return written;
  const filled: Filled[] = [];
  const kept = readFields({ values: fill([written, maskForReading(held).value, held], [], filled) }, 'values');
  const hidden = maskForReading(kept).value;
  for (const { path, text } of filled) if (at(hidden, path) !== text) throw nothingToKeep(path);
  return kept;
}

function fill([written, shown, stored]: Sides, path: Path, filled: Filled[]): unknown {
  if (typeof written === 'string' && carriesMask(written)) {
    if (shown === written && !carriesMask(stored)) {
      filled.push({ path, text: written });
      return stored;
    }
    if (written === MASK) throw nothingToKeep(path);
    throw new AppError('invalid', 'the values contain a mask inside other text; write the value itself');
  }
  if (isFields(written)) {
    const members = Object.entries(written).map(([name, member]) => [
      name,
      fill([member, own(shown, name), own(stored, name)], [...path, name], filled),
    ]);
    return Object.fromEntries(members);
  }
  if (!Array.isArray(written)) return written;
  const isSame =
    isList(shown) && isList(stored) && shown.length === written.length && written.every((item, index) => isNamedLike(item, shown[index]));
  return written.map((item, index) =>
    fill(isSame ? [item, shown[index], stored[index]] : [item, undefined, undefined], [...path, index], filled),
  );
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function own(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** By what members of lists are told apart. */
function isNamedLike(item: unknown, other: unknown): boolean {
  const nameOf = (one: unknown) =>
    isFields(one) ? [one.kind, one.name, readFields(one, 'metadata').name, readFields(one, 'metadata').namespace] : null;
  return deepEqual(nameOf(item), nameOf(other));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, step) => (isList(found) ? found[Number(step)] : own(found, String(step))), value);
}

function nothingToKeep(path: Path): AppError {
  return new AppError('invalid', `the values would keep ${path.join('.')} as it is stored, but no hidden value is there; write the value`);
}
