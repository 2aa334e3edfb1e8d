import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Instant } from '@/lib/std/instant';
import type { Clock } from '@/server/platform';
import { GitBinary } from '../git/git-binary';

interface Commit {
  readonly subject: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly agoMs: number;
  /** Whole files by their path. */
  readonly files: Readonly<Record<string, string>>;
}

interface NewRepository {
  readonly folder: string;
  /** Oldest first. */
  readonly commits: readonly Commit[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Makes a bare repository whose branch main has these commits, and answers its address; one that is there already is left as it is. */
export async function makeRepository({ folder: written, commits, clock, signal }: NewRepository): Promise<string> {
  const folder = path.resolve(written);
  const isThere = await stat(folder).then(
    () => true,
    () => false, // it is to be made
  );
  if (!isThere) {
    const fresh = `${folder}.new`;
    const home = path.dirname(folder);
    await rm(fresh, { recursive: true, force: true });
    await mkdir(home, { recursive: true, mode: 0o700 });
    const git = new GitBinary({ scheme: 'file', home, clock });
    await git.run({ args: ['init', '--quiet', '--bare', '--initial-branch=main', '--end-of-options', fresh], cwd: home, signal });
    await git.run({ args: ['fast-import', '--quiet'], cwd: fresh, input: toStream(commits, clock.now()), signal });
    await rename(fresh, folder);
  }
  return pathToFileURL(folder).href;
}

/** What `git fast-import` reads. */
function toStream(commits: readonly Commit[], now: Instant): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  return commits
    .map(({ subject, author: { name, email }, agoMs, files }) => {
      const who = `${name} <${email}> ${Math.floor((now - agoMs) / 1000)} +0000`;
      const written = Object.entries(files).map(([file, text]) => `M 100644 inline ${file}\n${data(text)}`);
      return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n${data(`${subject}\n`)}${written.join('')}\n`;
    })
    .join('');
}
