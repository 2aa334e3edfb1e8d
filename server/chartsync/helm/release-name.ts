import { AppError } from '@/lib/contract/app-error';
import type { ReleaseRef } from '../model/release';

const NAME = /^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/;

/** A name stands where Helm takes options as well, so it is one or nothing is run. That it is too long Helm says itself. */
export function requireName({ name, namespace }: ReleaseRef): void {
  for (const [what, text] of [
    ['release', name],
    ['namespace', namespace],
  ])
    if (!NAME.test(text ?? ''))
      throw new AppError(
        'invalid',
        `${JSON.stringify(text)} is not a valid name of a ${what}: use lower-case letters, digits, dots and dashes`,
      );
}
