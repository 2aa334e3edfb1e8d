import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { dependencyStateOf, waitReason } from '@/server/chartsync/depends-on/wait-reason';
import type { ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared } from '@/server/chartsync/model/declared';

interface Given {
  readonly dependsOn?: readonly object[];
  readonly annotation?: string;
  readonly generation?: number;
  readonly observed?: number;
  readonly released?: 'True' | 'False' | 'Unknown';
  readonly message?: string;
  readonly failure?: string;
  readonly phase?: string;
}

function release(
  key: string,
  { dependsOn, annotation, generation = 1, observed = 1, released = 'True', message = '', failure, phase }: Given = {},
): ExtendedRelease {
  const [namespace, name] = key.split('/');
  const annotations = annotation === undefined ? {} : { 'slipway.dev/depends-on': annotation };
  const object = {
    ...KINDS.helmRelease,
    metadata: { namespace, name, generation, annotations },
    spec: { chart: { git: 'https://git.example.com/charts', path: 'a' }, ...(dependsOn === undefined ? {} : { dependsOn }) },
    status: {
      observedGeneration: observed,
      conditions: [{ type: 'Released', status: released, message }],
      ...(failure === undefined ? {} : { failure: { message: failure } }),
      ...(phase === undefined ? {} : { phase }),
    },
  } as KubeObject;
  const declared = readDeclared(object);
  if (declared.profile !== 'extended') throw new Error('a HelmRelease was wanted');
  return declared;
}

/** Why the first of some releases waits. */
function why(...releases: readonly ExtendedRelease[]): string | undefined {
  const [first] = releases;
  if (first === undefined) throw new Error('no release');
  return waitReason(first, (key) => releases.find((one) => one.key === key));
}

describe('what a release depends on', () => {
  it('[issue 12.1] is read from the spec and from the annotation, each once, in its own namespace where none is named', () => {
    const given = { dependsOn: [{ name: 'cache' }, { name: 'mesh', namespace: 'infra' }], annotation: ' cache, infra/dns ,' };
    expect(release('pay/ledger', given).dependsOn).toEqual(['pay/cache', 'infra/mesh', 'infra/dns']);
    expect(release('pay/ledger').dependsOn).toEqual([]);
  });

  it('[design 14] is read once of a copy that cannot change, however often circles are looked for, and again of what can', () => {
    const object = (name: string): KubeObject => ({
      ...KINDS.helmRelease,
      metadata: { namespace: 'pay', name },
      spec: { dependsOn: [{ name: 'cache' }] },
    });
    const [copy, own] = [Object.freeze(object('ledger')), object('books')];
    const [ofCopy, ofOwn] = [readDeclared(copy), readDeclared(own)];
    expect(readDeclared(copy)).toBe(ofCopy);
    expect(readDeclared(own)).not.toBe(ofOwn);
  });

  it.each<[string, Given]>([
    ['released', {}],
    ['failed', { released: 'False' }],
    ['failed', { released: 'Unknown', failure: 'no such chart' }],
    ['not-yet', { generation: 2 }],
    ['not-yet', { generation: 2, released: 'False' }],
    ['not-yet', { released: 'Unknown' }],
    ['released', { phase: 'Succeeded' }],
    ['changing', { phase: 'Upgrading' }],
    ['changing', { phase: 'Testing' }],
    ['failed', { released: 'False', phase: 'RollingBack' }],
  ])('[issue 12.1] stands %s to it as its status says of its present generation: %o', (standing, given) => {
    expect(dependencyStateOf(release('pay/cache', given))).toBe(standing);
  });

  it('[issue 12.1] holds it up while it is missing, has failed or is not released, each in a sentence', () => {
    const ledger = release('pay/ledger', { dependsOn: [{ name: 'cache' }] });
    const waits = (given?: Given) => why(ledger, ...(given === undefined ? [] : [release('pay/cache', given)]));
    expect(waits({})).toBeUndefined();
    expect(waits()).toBe('it depends on HelmRelease pay/cache, which does not exist');
    expect(waits({ released: 'False', failure: 'no such chart' })).toBe('it depends on HelmRelease pay/cache, which failed: no such chart');
    expect(waits({ released: 'False', message: 'timed out' })).toBe('it depends on HelmRelease pay/cache, which failed: timed out');
    expect(waits({ generation: 2 })).toBe('it depends on HelmRelease pay/cache, which is not released yet');
    expect(waits({ phase: 'Upgrading' })).toBe('it depends on HelmRelease pay/cache, which is being changed');
  });

  it('[issue 12.5] does not tell why it failed to another namespace', () => {
    const ledger = release('pay/ledger', { dependsOn: [{ name: 'mesh', namespace: 'infra' }] });
    const mesh = release('infra/mesh', { released: 'False', failure: 'token canary was refused' });
    expect(why(ledger, mesh)).toBe('it depends on HelmRelease infra/mesh, which failed');
  });

  it('[issue 12.1] waits for itself in a circle that is named in its order, also while all of it is released, and for a circle of others without being in it', () => {
    const on = (...names: readonly string[]) => ({ dependsOn: names.map((name) => ({ name })) });
    const [a, b, c] = [release('pay/a', on('x', 'b')), release('pay/b', on('c')), release('pay/c', on('x', 'a'))];
    const x = release('pay/x');
    const circle = 'these HelmReleases depend on each other, so none of them is released: pay/a → pay/b → pay/c → pay/a';
    expect(why(a, b, c, x)).toBe(circle);
    expect(why(release('pay/self', on('self')))).toBe('HelmRelease pay/self depends on itself, so it is never released');
    expect(why(release('pay/d', on('a')), a, b, c, x)).toBeUndefined();
    const waiting = release('pay/a', { ...on('b'), released: 'Unknown' });
    expect(why(release('pay/d', on('a')), waiting, b, c, x)).toBe('it depends on HelmRelease pay/a, which is not released yet');
  });
});
