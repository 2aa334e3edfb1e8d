import { expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { toStartupError } from '@/server/open-installation';

const remote = { kind: 'remote', name: 'prod' } as const;
const why = 'discovery of /apis got no answer: connect ECONNREFUSED 10.0.0.1:443';
const ends = '; check --kubeconfig and --context';

it.each([
  ['said already', new Error(`the API group "apps" could not be discovered: ${why}`, { cause: new Error(why) })],
  ['not said yet', new Error('the API group "apps" could not be discovered', { cause: new Error(why) })],
])('[design 13] a cluster that cannot be used is told once with its cause: %s', async (_how, error) => {
  await expect(toStartupError(remote, Promise.reject(error))).rejects.toThrow(
    new AppError('unavailable', `the cluster prod cannot be used: the API group "apps" could not be discovered: ${why}${ends}`),
  );
});
