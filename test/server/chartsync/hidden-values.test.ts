import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { maskOf, VALUES_UNKNOWN } from '@/server/chartsync/helm/masking/hidden-values';
import { KubeApiError, KubeTransportError } from '@/server/kube';

const OLD = 'canary-of-the-former-revision';
const QUOTED = `Secret "key" is invalid: stringData: Invalid value: "${OLD}"`;
const release = { namespace: 'pay', name: 'web' };
/** What masks the words of a run that is given other values than those that are stored. */
const maskBy = (readHistory: () => Promise<never[]>) =>
  maskOf(
    { readHistory, readRevision: () => Promise.reject(new Error('no revision is asked for')) },
    { release, values: { password: 'a-new-one' } },
  );

describe('what Helm says', () => {
  it.each<[string, Error]>([
    ['answers that it has trouble', new KubeApiError({ code: 503, reason: 'ServiceUnavailable', message: 'try again' })],
    ['does not answer', new AppError('unavailable', 'no answer', { cause: new KubeTransportError('connect ECONNREFUSED') })],
    ['does not let the server read it', new KubeApiError({ code: 403, reason: 'Forbidden', message: 'secrets is forbidden' })],
  ])(
    '[issue 12.4] is not shown where what is stored could not be read since the cluster %s: Helm may read and quote it',
    async (_why, error) => {
      const mask = await maskBy(() => Promise.reject(error));
      expect(mask(QUOTED)).toBe(VALUES_UNKNOWN);
    },
  );

  it('[issue 12.4] is shown without what it was given where nothing is stored, or what is there holds no revision', async () => {
    for (const history of [async () => [], () => Promise.reject(new AppError('invalid', 'it is no revision'))]) {
      const mask = await maskBy(history);
      expect(mask('the password "a-new-one" is too short')).toBe('the password "[masked]" is too short');
    }
  });
});
