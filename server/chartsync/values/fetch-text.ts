import { AppError } from '@/lib/contract/app-error';
import type { Outbound } from '@/server/outbound';

/** Values are typed by people; a Secret, which holds the release in the end, takes 1 MB. */
export const MAX_VALUES = 1024 * 1024;
const TIMEOUT_MS = 20_000;
const GONE = [404, 410];

/** The text at an address; undefined where its server says that there is none. */
export async function fetchText(outbound: Pick<Outbound, 'get'>, url: string, signal: AbortSignal): Promise<string | undefined> {
  const { status, body } = await outbound.get(url, {
    accept: 'application/yaml, text/plain, */*',
    maxBytes: MAX_VALUES,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (GONE.includes(status)) return undefined;
  if (status < 200 || status > 299) throw new AppError('unavailable', `values from an external source: its server answered ${status}`);
  return body.toString('utf8');
}
