import { messageOf } from '@/lib/contract/app-error';
import { backOffMs } from '@/lib/std/back-off';
import type { Clock, Log } from '@/server/platform';
import type { DeclaredRelease } from '../model/declared';
import type { ResourcePort } from '../ports';

interface ConfirmDeps {
  readonly resources: Pick<ResourcePort, 'read'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const PACE = { firstMs: 1000, longestMs: 30_000 };

/** Whether a resource that was told as deleted is gone, asked until somebody answers: on a question without an answer nothing is uninstalled. */
export async function confirmDeleted(resource: DeclaredRelease, { resources, clock, log, signal }: ConfirmDeps): Promise<boolean> {
  for (let tries = 0; ; tries++) {
    try {
      const live = await resources.read(resource.at);
      if (live === undefined || live.uid === '' || live.uid !== resource.uid) return true;
      log.warn({ resource: resource.key }, 'a resource was reported as deleted but exists; its release stays');
      return false;
    } catch (error) {
      log.warn(
        { resource: resource.key, error: messageOf(error) },
        'could not check whether a deleted resource is gone; its release stays for now',
      );
    }
    try {
      await clock.sleep(backOffMs(PACE, tries), signal);
    } catch {
      log.warn(
        { resource: resource.key, release: resource.release.name },
        'the server is shutting down before a resource is confirmed gone; its release stays',
      );
      return false;
    }
  }
}
