import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { CommandDeps } from '@/server/commands/command-deps';
import { scopeOf } from '@/server/commands/objects/scope';
import { stored } from './played-objects';
import { configMap } from './rig';

describe('[issue 14.2] whose events are told of an object', () => {
  const root = stored(configMap('root'));
  const scope = (isPartOf: (...asked: never[]) => boolean = () => false) =>
    scopeOf(
      {
        objectReader: { latest: () => stored(root, { resourceVersion: '9' }), namespacesOf: () => ['default', 'shop'], isPartOf },
      } as unknown as Pick<CommandDeps, 'objectReader'>,
      root,
    );
  const about = { uid: 'uid-root', apiVersion: 'v1', kind: 'ConfigMap', ns: 'default', name: 'root' };

  it.each<readonly [string, object, boolean]>([
    ['its uid', { kind: 'Pod', name: 'x' }, true],
    ['its kind, place and name where no uid is told', { uid: '' }, true],
    ['its name where its uid belongs', { uid: 'root' }, true],
    ['the uid of one before it', { uid: 'another' }, false],
    ['another kind', { uid: '', kind: 'Secret' }, false],
    ['another name', { uid: '', name: 'other' }, false],
    ['another namespace', { uid: '', ns: 'shop' }, false],
  ])('%s', (_what, told, belongs) => {
    expect(scope().belongs({ ...about, ...told } as never)).toBe(belongs);
  });

  it('those of what is part of it, as the copies have it now', () => {
    const asked: unknown[][] = [];
    const { belongs, version, namespaces } = scope((...told) => asked.push(told) > 0);
    expect(belongs({ ...about, uid: 'another' } as never)).toBe(true);
    expect(asked).toEqual([
      [
        expect.objectContaining({ metadata: expect.objectContaining({ resourceVersion: '9' }) }),
        { apiVersion: 'v1', kind: 'ConfigMap', ns: 'default', name: 'root' },
      ],
    ]);
    expect([version(), namespaces]).toEqual(['9', ['default', 'shop']]);
  });

  it('of an object without a uid are not those of everything that has none', () => {
    const bare = scopeOf(
      { objectReader: { latest: () => root, namespacesOf: () => [], isPartOf: () => false } } as unknown as Pick<
        CommandDeps,
        'objectReader'
      >,
      {
        ...KINDS.application,
        metadata: { name: 'root', namespace: 'default', uid: '' },
      },
    );
    expect(bare.belongs({ ...about, uid: '', name: 'other' } as never)).toBe(false);
  });
});
