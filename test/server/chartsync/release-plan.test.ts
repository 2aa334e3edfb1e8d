import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PlanBasis } from '@/server/chartsync/plan/release-plan';
import { planRelease } from '@/server/chartsync/plan/release-plan';

const config = (name: string, data: object = {}, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data,
});
const content = (...objects: PlanBasis['first']['objects']) => ({ values: {}, objects, notes: '' });
const FACTS = { chart: 'tree', values: 'digest of values', stored: 'revision 1', helm: 'v4.3.1', account: 'charts' };

function plan(over: Partial<PlanBasis> = {}) {
  const first = over.first ?? content(config('web', { a: '1' }));
  return planRelease({
    facts: FACTS,
    revision: 'c0',
    stored: 1,
    namespace: 'pay',
    before: content(config('web')),
    first,
    second: first,
    key: 'key',
    ...over,
  });
}

describe('the plan of a release', () => {
  it.each(Object.keys(FACTS))('[issue 12.4] is another one as soon as its %s moved', (part) => {
    const moved = plan({ facts: { ...FACTS, [part]: 'another' } });
    expect(moved.digest).not.toBe(plan().digest);
    expect(Object.entries(moved.parts).filter(([name, digest]) => plan().parts[name as keyof typeof FACTS] !== digest)).toEqual([
      [part, expect.any(String)],
    ]);
  });

  it('[issue 12.4] is another one where other objects would be created or deleted, and not where one changes otherwise', () => {
    const { digest } = plan();
    expect(plan({ first: content(config('web', { a: '2' })) }).digest).toBe(digest);
    expect(plan({ first: content(config('web'), config('more')) }).digest).not.toBe(digest);
    expect(plan({ before: content(config('web'), config('old')) }).digest).not.toBe(digest);
  });

  it('[issue 12.4] leaves out what differs between two renderings, of what is there as well, and names the places', () => {
    const at = (token: string, replicas: string) => content(config('web', { token, replicas, list: [{ of: token }] }));
    const { before, after, nondeterministic, digest } = plan({ before: at('old', '1'), first: at('one', '2'), second: at('two', '2') });
    const left = '(different each time)';
    expect(before.objects).toEqual([config('web', { token: left, replicas: '1', list: [{ of: left }] })]);
    expect(after.objects).toEqual([config('web', { token: left, replicas: '2', list: [{ of: left }] })]);
    expect(nondeterministic).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'web', paths: ['data.token', 'data.list[0].of'] },
    ]);
    expect(plan({ before: at('old', '1'), first: at('three', '2'), second: at('four', '2') }).digest).toBe(digest);
  });

  it('[issue 12.4] promises of objects with another name each time how many of a kind there are', () => {
    const jobs = (...names: readonly string[]) => content(config('web'), ...names.map((name) => config(name)));
    const promised = plan({ first: jobs('job-a'), second: jobs('job-b') });
    expect(promised.nondeterministic).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: null, paths: [] }]);
    expect(promised.after.objects).toEqual([config('web')]);
    expect(plan({ first: jobs('job-c'), second: jobs('job-d') }).digest).toBe(promised.digest);
    const generated = { ...config(''), metadata: { generateName: 'job-' } };
    expect(plan({ first: content(config('web'), generated), second: content(config('web'), generated) })).toMatchObject({
      nondeterministic: promised.nondeterministic,
      after: { objects: [config('web')] },
    });
    expect(plan({ first: jobs('job-c', 'job-e'), second: jobs('job-d', 'job-f') }).digest).not.toBe(promised.digest);
  });

  it('[issue 12.4] deletes nothing that says that it is to be left', () => {
    const kept = config('kept', {}, { annotations: { 'helm.sh/resource-policy': 'keep' } });
    const told = plan({ before: content(config('web'), kept) });
    expect([told.left, told.before.objects]).toEqual([[{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'kept' }], [config('web')]]);
    expect(told.digest).toBe(plan().digest);
  });

  it('[design 8] holds no digest that a short value could be tried out against', () => {
    const plain = createHash('sha256').update(JSON.stringify(FACTS.values)).digest('hex');
    expect(JSON.stringify(plan().parts)).not.toContain(plain);
    expect(plan({ key: 'another' }).parts.values).not.toBe(plan().parts.values);
  });
});
