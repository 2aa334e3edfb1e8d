import { resolve, sep } from 'node:path';
import { AppError } from '@/lib/contract/app-error';

const WHY: Readonly<Record<string, string>> = {
  ENOTDIR: 'is not a folder, or is inside a file',
  EEXIST: 'is not a folder',
  ENOENT: 'cannot be created',
  EACCES: 'cannot be accessed by this user',
  EPERM: 'cannot be accessed by this user',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'has no space left',
  ENAMETOOLONG: 'has a name that is too long',
};

/** What to throw where a server cannot start for its data folder: a sentence that names the place in it; any other error as it is. */
export function dataFolderFault(error: unknown, dataDir: string): unknown {
  const { code = '', path, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const why = code === 'ENOENT' && syscall !== 'mkdir' ? undefined : WHY[code];
  // The folder itself may be missing with the one that it is to be in, which is named then.
  if (why === undefined || path === undefined || !(isIn(path, dataDir) || isIn(dataDir, path))) return error;
  return new AppError('unavailable', `the data folder cannot be used: ${path} ${why}; give this server another --data-dir`, {
    cause: error,
  });
}

const isIn = (path: string, folder: string) => `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
