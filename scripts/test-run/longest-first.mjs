import path from 'node:path';
import { BaseSequencer } from 'vitest/node';

/**
 * The order in which files begin: those whose path holds the first of these parts, then those of the second, and the others at last. A file that takes
 * long and comes last leaves one worker alone with it, and the size of a file, which is the order otherwise, tells nothing of how long it takes.
 */
export function longestFirst(parts) {
  const turnOf = ({ moduleId }) => {
    const file = path.relative(process.cwd(), moduleId);
    const at = parts.findIndex((part) => file.includes(part));
    return at < 0 ? parts.length : at;
  };
  return class extends BaseSequencer {
    async sort(files) {
      return (await super.sort(files)).toSorted((one, other) => turnOf(one) - turnOf(other));
    }
  };
}
