import { isConflict } from './errors';

const MOST_TRIES = 5;

/**
 * Does what rests on an object that it reads itself, once more from the reading on where somebody wrote in between; engines that write
 * status do so all the time.
 */
export async function retryOnConflict<T>(readAndWrite: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await readAndWrite();
    } catch (error) {
      if (!isConflict(error) || tries === MOST_TRIES) throw error;
    }
  }
}
