import type { Ids, Random } from '@/server/platform';

// What may stand in a name that the cluster generates.
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Identifiers from a seeded source, equal in every run. */
export function createSeededIds(random: Random): Ids {
  const hex = (length: number) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  return {
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    suffix: (length) => Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join(''),
    secret: () => hex(43),
  };
}
