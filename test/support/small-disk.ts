import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder';

/** From here on git writes no file beyond 64 KB while the disk is full: what is over fails in the middle, as it does on a disk without room. */
export function smallDisk(): { full(): void; free(): void } {
  const folder = temporaryFolder();
  const mark = path.join(folder, 'full');
  const programs = path.join(folder, 'programs');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(programs);
  // The size is in blocks of 512 bytes; the signal that would end git is ignored, so that it is told by the write.
  writeFileSync(path.join(programs, 'git'), `#!/bin/sh\nif [ -e "${mark}" ]; then trap "" XFSZ; ulimit -f 128; fi\nexec "${real}" "$@"\n`);
  chmodSync(path.join(programs, 'git'), 0o755);
  const before = process.env.PATH;
  process.env.PATH = `${programs}${path.delimiter}${before}`;
  onTestFinished(() => {
    process.env.PATH = before;
  });
  return { full: () => writeFileSync(mark, ''), free: () => rmSync(mark) };
}
