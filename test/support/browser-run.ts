import { buildWhatIsMissing } from '../../scripts/build.mjs';
import { shareBrowser } from './browser';

/** Builds before the first file starts a server, since two that start at once would build at once, and starts the browser of all files. */
export async function setup(): Promise<() => Promise<void>> {
  await buildWhatIsMissing();
  return shareBrowser();
}
