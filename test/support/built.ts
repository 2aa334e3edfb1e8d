import { buildWhatIsMissing } from '../../scripts/build.mjs';

/** Builds before the first file starts a server: two that start at once would build at once. */
export async function setup(): Promise<void> {
  await buildWhatIsMissing();
}
