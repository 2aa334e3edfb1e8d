import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { COMMAND_ACCESS_FILE, commandAccess } from '@/lib/contract/command-access';

export interface ServerOptions {
  readonly url?: string;
  readonly token?: string;
  readonly dataDir: string;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';

/**
 * The server that is meant, and a token for it: those given, else those of the server whose data folder is on this machine. Its token goes to
 * its own address only. Fails with a sentence that says what to give.
 */
export async function findServer({ url, token, dataDir }: ServerOptions): Promise<{ readonly url: string; readonly token: string }> {
  if (token !== undefined) return { url: url ?? DEFAULT_URL, token };
  const file = path.resolve(dataDir, COMMAND_ACCESS_FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  if (text === undefined)
    throw new Error(
      `a token is required: give --token, or --data-dir with the data folder of a server on this machine; there is no ${file}`,
    );
  const found = readAccess(text);
  if (found === undefined) throw new Error(`${file} was not written by a Slipway server: give --token`);
  if (url !== undefined && new URL(url).origin !== new URL(found.url).origin) {
    throw new Error(`a token is required for ${url}: give --token; the one in ${file} is for ${found.url}`);
  }
  return found;
}

function readAccess(text: string) {
  try {
    return commandAccess.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // not even JSON
  }
}
