import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CommandAccess } from '@/lib/contract/command-access';
import { COMMAND_ACCESS_FILE } from '@/lib/contract/command-access';

/** Lets the `slipway` command of whoever may read the data folder find this server and sign in; the end takes that away. */
export async function offerCommandAccess(dataDir: string, access: CommandAccess): Promise<AsyncDisposable> {
  const file = path.join(dataDir, COMMAND_ACCESS_FILE);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await rm(file, { force: true }); // one that a crash left keeps its mode and whoever has it open
  await writeFile(file, `${JSON.stringify(access)}\n`, { mode: 0o600, flag: 'wx' });
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}
