import { t } from '@/lib/words/catalogue/delivery/editor';

/** Less than the API takes of one manifest, and as much as a draft may have. */
const LARGEST = 1_000_000;

/** The text of the one file that was opened or dropped; rejects with a sentence for anything else. */
export async function readTextFile(files: readonly File[]): Promise<string> {
  const [file, another] = files;
  if (file === undefined) throw new Error(t.theDropMustBeA);
  if (another !== undefined) throw new Error(t.theDropMustBeOne(files.length));
  if (!/\.(ya?ml|json)$/i.test(file.name)) throw new Error(t.theFileMustBeYaml(file.name));
  if (file.size > LARGEST) throw new Error(t.theFileMustBeAt(file.size / 1e6));
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(t.theFileMustBeText(file.name));
  }
}
