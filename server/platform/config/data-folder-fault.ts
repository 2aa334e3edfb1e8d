import { AppError } from '@/lib/contract/app-error';

const WHY: Readonly<Record<string, string>> = {
  ENOTDIR: 'is not a folder, or lies in what is none',
  EEXIST: 'is not a folder',
  EACCES: 'may not be used by this user',
  EPERM: 'may not be used by this user',
  EROFS: 'is on a file system that nothing can be written to',
  ENOSPC: 'has no space left',
  ENAMETOOLONG: 'has a name that is too long',
};

/** What to throw where a server cannot start for its data folder: a sentence that names the place in it; any other error as it is. */
export function dataFolderFault(error: unknown, dataDir: string): unknown {
  const { code = '', path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const why = WHY[code];
  if (why === undefined || path === undefined || !path.startsWith(dataDir)) return error;
  return new AppError('unavailable', `the data folder cannot be used: ${path} ${why}; give this server another --data-dir`, {
    cause: error,
  });
}
