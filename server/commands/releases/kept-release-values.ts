import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { isFields, readFields } from '@/lib/kube/fields';
import { carriesMask, MASK, maskSecrets } from '@/lib/kube/mask';
import { deepEqual } from '@/lib/std/deep-equal';

type Path = readonly (string | number)[];

/**
 * The values with the stored one for each mask that stands where it was shown. Only in the manifest of a Secret, or in a sensitive variable, only a whole
 * value, and in a list only while its members are those that were shown: a mask has no value moved to where it can be read.
 */
export function withKeptReleaseValues(written: Fields, held: Fields): Fields {
  if (!carriesMask(written)) return written;
  const shown = maskSecrets(held).value;
  const filled: Path[] = [];
  const walk = ([value, mask, stored]: readonly [unknown, unknown, unknown], path: Path): unknown => {
    if (value === MASK) {
      if (mask !== MASK || carriesMask(stored) || stored === undefined) throw nothingToKeep(path);
      filled.push(path);
      return stored;
    }
    if (isFields(value)) {
      const [masks, olds] = [isFields(mask) ? mask : {}, isFields(stored) ? stored : {}];
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk([member, own(masks, name), own(olds, name)], [...path, name])]));
    }
    if (!Array.isArray(value)) return value;
    const isSame = Array.isArray(mask) && mask.length === value.length && value.every((item, at) => deepEqual(nameOf(item), nameOf(mask[at])));
    const [masks, olds] = [isSame ? mask : [], isSame && Array.isArray(stored) ? stored : []];
    return value.map((item, at) => walk([item, masks[at], olds[at]], [...path, at]));
  };
  const kept = readFields({ values: walk([written, shown, held], []) }, 'values');
  const hidden = maskSecrets(kept).value;
  for (const path of filled) if (at(hidden, path) !== MASK) throw nothingToKeep(path);
  if (carriesMask(kept)) throw new AppError('invalid', 'the values carry a mask within another text; write the value');
  return kept;
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** By what members of lists are told apart. */
function nameOf(item: unknown): unknown {
  return isFields(item) ? [item.kind, item.name, readFields(item, 'metadata').name, readFields(item, 'metadata').namespace] : null;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, step) => (typeof found === 'object' && found !== null ? (found as Record<string | number, unknown>)[step] : undefined), value);
}

function nothingToKeep(path: Path): AppError {
  return new AppError('invalid', `the values would keep ${path.join('.')} as it is stored, and no hidden value stands there; write the value`);
}
