import { readFile } from 'node:fs/promises';
import { AppError, messageOf } from '@/lib/contract/app-error';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
};

/** The text of a file that a person named. Throws AppError `invalid` where it cannot be read: `what` cannot be read, and why. */
export async function readNamedFile(file: string, what = file): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(what, error);
  }
}

/** What to throw where a file that a person named cannot be read: `error` is the file system's. */
export function unreadable(what: string, error: unknown): AppError {
  const why = WHY[(error as NodeJS.ErrnoException).code ?? ''] ?? messageOf(error); // whatever else is thrown has no code of theirs
  return new AppError('invalid', `${what} cannot be read: ${why}`, { cause: error });
}
