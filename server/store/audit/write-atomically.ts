import { open, rename } from 'node:fs/promises';

/** Writes a file that only we may read, whole or not at all: an end of the process on the way leaves what was there. */
export async function writeAtomically(file: string, text: string): Promise<void> {
  const draft = `${file}.draft`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
