import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pid } from 'node:process';
import { AppError } from '@/lib/contract/app-error';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const held = new Set<string>();

/** Keeps every other process out of a folder; the release lets the next one in. A lock whose holder is dead counts for nothing. */
export function lockFolder(dir: string): () => void {
  const file = path.join(path.resolve(dir), 'lock');
  const mine = `${pid} ${bootId()}\n`;
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      const holder = holderOf(file);
      if (holder !== undefined || attempt > 2) {
        throw new AppError('conflict', `the folder ${dir} is in use by process ${holder ?? 'unknown'}; stop it or name another folder with --data-dir`, {
          cause: error,
        });
      }
      rmSync(file, { force: true }); // left by a process that is gone
    }
  }
  held.add(file);
  return () => {
    held.delete(file);
    rmSync(file, { force: true });
  };
} // prettier-ignore

/** The process that holds the lock, if it lives. */
function holderOf(file: string): number | undefined {
  const [id = '', boot = ''] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
  const holder = Number(id);
  // Ids of processes are used again: after a restart of the machine, or of a container, the number alone says nothing.
  if (!Number.isInteger(holder) || holder <= 0 || boot !== bootId()) return undefined;
  if (holder === pid) return held.has(file) ? holder : undefined;
  try {
    process.kill(holder, 0);
    return holder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? holder : undefined;
  }
}

function bootId(): string {
  return existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : '-';
}
