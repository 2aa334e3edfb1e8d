import { isConflict } from './errors';

const MAX_TRIES = 5;

interface Retry {
  /** Tries in all. */
  readonly tries?: number;
  /** What another try may mend; conflicts, where it is not told. */
  readonly mayPass?: (error: unknown) => boolean;
  /** Waits after so many tries; the next one is made at once, where it is not told. */
  readonly wait?: (tries: number) => Promise<void>;
}

/**
 * Does what rests on an object that it reads itself, once more from the reading on where somebody wrote in between; engines that write
 * status do so all the time.
 */
export async function retryOnConflict<T>(
  readAndWrite: () => Promise<T>,
  { tries: most = MAX_TRIES, mayPass = isConflict, wait }: Retry = {},
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await readAndWrite();
    } catch (error) {
      if (!mayPass(error) || tries === most) throw error;
    }
    await wait?.(tries);
  }
}
