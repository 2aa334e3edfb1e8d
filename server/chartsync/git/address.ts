import path from 'node:path';
import { AppError } from '@/lib/contract/app-error';

/** An address of a git repository that may be used, and what it is called where credentials do not belong. */
export interface GitAddress {
  readonly url: string;
  readonly shown: string;
  readonly scheme: 'https' | 'ssh' | 'file';
}

const SCP_LIKE = /^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)[^\s]+$/;

/** Reads an address: https, ssh, or the short form of that. Files only below a folder of our own; everything else is refused with a sentence. */
export function readGitAddress(written: string, filesBelow: string | undefined): GitAddress {
  if (written.startsWith('-')) throw refused(written);
  if (!written.includes('://') && SCP_LIKE.test(written)) return { url: written, shown: written.replace(/^[^@]*@/, ''), scheme: 'ssh' };
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'ssh:') {
    if (url.password !== '') throw new AppError('invalid', 'an address of a git repository wants no password in it: give credentials as a Secret');
    return { url: written, shown: `${url.protocol}//${url.host}${url.pathname}`, scheme: url.protocol === 'https:' ? 'https' : 'ssh' };
  }
  if (url?.protocol === 'file:' && filesBelow !== undefined && isBelow(decodeURIComponent(url.pathname), filesBelow)) {
    return { url: written, shown: written, scheme: 'file' };
  }
  throw refused(written);
}

function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(path.resolve(folder), path.resolve(file));
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

function refused(written: string): AppError {
  const scheme = /^([a-z+.-]+):/i.exec(written)?.[1];
  return new AppError('invalid', `an address of a git repository wants https:// or ssh://, found ${scheme === undefined ? 'no scheme' : `${scheme}:`}`);
}
