import { describe, expect, it } from 'vitest';
import { readList } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { KubeApiError } from '@/server/kube';
import { ApplicationHouse } from '../../support/application-house';

// What the application engine promises while others write between its own requests.

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const OLD = { ...CONFIG_MAP, namespace: 'shop', name: 'old' } as const;
const OURS = ['ConfigMap', 'Deployment', 'Service'];

const configs = (...names: string[]) => ({
  components: [
    {
      name: 'set',
      type: 'k8s-objects',
      properties: { objects: names.map((name) => ({ ...CONFIG_MAP, metadata: { name }, data: { a: 'b' } })) },
    },
  ],
});

async function aHouse(...names: string[]): Promise<ApplicationHouse> {
  const house = await new ApplicationHouse().start();
  await house.apply(configs(...names));
  return house;
}

/** Does something once, just before the server answers a request. */
function justBefore(house: ApplicationHouse, verb: string, wanted: Partial<ObjectAddress>, act: () => void): void {
  let done = false;
  house.server.onRequest = (asked, at) => {
    const matches = Object.entries(wanted).every(([field, value]) => at[field as keyof ObjectAddress] === value);
    if (done || asked !== verb || !matches) return;
    done = true;
    act();
  };
}

const successful = (house: ApplicationHouse, verb: string) =>
  house.server.requests.filter((request) => request.verb === verb && request.succeeded).map(({ key }) => key.split('|').slice(1).join('/'));

describe('a deletion', () => {
  it('[issue 9, 6] spares an object that was created again under its name since the engine looked at it', async () => {
    await using house = await aHouse('keep', 'old');
    justBefore(house, 'delete', OLD, () => house.server.seed({ ...CONFIG_MAP, metadata: { ...OLD, uid: 'another' } }));
    await house.apply(configs('keep'));
    await house.clock.advance(60_000);
    expect(house.server.peek(OLD)?.metadata.uid).toBe('another');
  });

  it('[issue 9, 6] spares an object that another application took over since the engine looked at it', async () => {
    await using house = await aHouse('keep', 'old');
    await house.apply(configs('other'), 'second');
    const owner = house.server.peek({ ...KINDS.resourceTracker, name: 'second-v1-shop' });
    justBefore(house, 'delete', OLD, () => {
      const { metadata, ...rest } = house.server.peek(OLD) as KubeObject; // it is about to be deleted
      const { apiVersion = '', kind = '' } = KINDS.resourceTracker;
      const labels = { ...metadata.labels, 'app.oam.dev/name': 'second' };
      const ownerReferences = [
        { apiVersion, kind, name: 'second-v1-shop', uid: owner?.metadata.uid ?? '', controller: true, blockOwnerDeletion: true },
      ];
      house.server.seed({ ...rest, metadata: { ...metadata, labels, ownerReferences } });
    });
    await house.apply(configs('keep'));
    await house.clock.advance(60_000);
    expect(house.server.peek(OLD)?.metadata.labels?.['app.oam.dev/name']).toBe('second');
  });

  it('[issue 9.4] spares an object that asks to stay since the engine looked at it, and goes on with what holds then', async () => {
    await using house = await aHouse('keep', 'old');
    justBefore(house, 'delete', OLD, () => {
      const { metadata, ...rest } = house.server.peek(OLD) as KubeObject; // it is about to be deleted
      house.server.seed({
        ...rest,
        metadata: { ...metadata, resourceVersion: '999999', annotations: { ...metadata.annotations, 'app.oam.dev/skipGC': 'true' } },
      });
    });
    await house.apply(configs('keep'));
    await house.clock.advance(60_000);
    expect([house.server.peek(OLD)?.metadata.name, house.phase()]).toEqual(['old', 'running']);
  });

  it.each<[string, (application: KubeObject) => KubeObject]>([
    ['wants it again', (held) => ({ ...held, spec: configs('keep', 'old'), metadata: { ...held.metadata, generation: 9 } })],
    ['is suspended', (held) => ({ ...held, metadata: { ...held.metadata, annotations: { [SUSPENDED]: 'true' } } })],
    ['is another one of its name', (held) => ({ ...held, spec: configs('old'), metadata: { ...held.metadata, uid: 'second' } })],
  ])('[issue 9, 6] spares what its application %s since the engine judged it, though no watch tells of that', async (_what, changed) => {
    await using house = await aHouse('keep', 'old');
    let told = false;
    justBefore(house, 'get', OLD, () => {
      told = true;
      house.informers.fall('Application', 'behind');
      house.server.seed(changed(house.application()));
    });
    await house.apply(configs('keep'));
    await house.clock.advance(60_000);
    expect([told, house.server.peek(OLD)?.metadata.name, successful(house, 'delete')]).toEqual([true, 'old', []]);
  });

  it('[issue 9, 6] is of exactly what was shown, or of nothing until the copies say the same as the server', async () => {
    await using house = await aHouse('keep', 'old', 'spared');
    const spared = house.get(CONFIG_MAP, 'spared') as KubeObject;
    house.server.seed({
      ...spared,
      metadata: { ...spared.metadata, annotations: { ...spared.metadata.annotations, 'app.oam.dev/skipGC': 'true' } },
    });
    house.informers.fall('ConfigMap', 'behind');
    house.server.seed(spared);
    const there = () => ['old', 'spared'].filter((name) => house.get(CONFIG_MAP, name) !== undefined);
    await house.apply(configs('keep'));
    await house.clock.advance(20_000);
    expect([there(), house.condition('Collected')?.message]).toEqual([
      ['old', 'spared'],
      'the set of objects to delete is changing; checking again',
    ]);
    house.informers.recover();
    await house.clock.advance(20_000);
    expect(there()).toEqual([]);
  });

  it('[issue 9, 6] spares a tracker whose record was changed since the engine read it', async () => {
    await using house = await aHouse('keep', 'old');
    const tracker = { ...KINDS.resourceTracker, name: 'web-v1-shop' };
    const precious = { ...CONFIG_MAP, namespace: 'shop', name: 'precious' };
    justBefore(house, 'delete', tracker, () => {
      const found = house.server.peek(tracker) as KubeObject; // it is about to be deleted
      const managedResources = [...readList(found, 'spec', 'managedResources'), precious];
      house.server.seed({ ...found, spec: { ...(found.spec as object), managedResources } });
    });
    await house.apply(configs('keep'));
    expect(house.tracked('web-v1-shop')).toContain('ConfigMap/precious');
  });
});

describe('the record of a tracker', () => {
  const listed = (house: ApplicationHouse) =>
    house.server
      .all()
      .filter(({ kind }) => kind === 'ResourceTracker')
      .flatMap(({ metadata }) => house.tracked(metadata.name ?? '') ?? []);

  it('[issue 9, 6] lists each object before it is made, at first and at every change', async () => {
    await using house = await new ApplicationHouse().start();
    const unrecorded: string[] = [];
    house.server.onRequest = (verb, { kind, name }) => {
      if (verb === 'create' && OURS.includes(kind) && !listed(house).includes(`${kind}/${name}`)) unrecorded.push(`${kind}/${name}`);
    };
    await house.apply(configs('a', 'b'));
    await house.apply(configs('b', 'c'));
    await house.apply({
      components: [
        ...configs('b').components,
        { name: 'web', type: 'webservice', properties: { image: 'web:1', ports: [{ port: 80, expose: true }] } },
      ],
    });
    expect(successful(house, 'create')).toEqual(
      expect.arrayContaining(['ConfigMap/shop/a', 'ConfigMap/shop/c', 'Deployment/shop/web', 'Service/shop/web']),
    );
    expect(unrecorded).toEqual([]);
  });

  it('[issue 9, 6] that cannot be written stops everything: nothing is made that nobody would find again', async () => {
    await using house = await new ApplicationHouse().start();
    for (const verb of ['create', 'updateStatus', 'patch'] as const)
      house.server.addFaults([{ verb, kind: 'ResourceTracker', code: 500, times: 1000 }]);
    await house.apply(configs('a', 'b'));
    await house.clock.advance(60_000);
    expect(successful(house, 'create').filter((key) => key.startsWith('ConfigMap'))).toEqual([]);
    house.server.clearFaults();
    await house.clock.advance(600_000);
    expect(listed(house)).toEqual(['ConfigMap/a', 'ConfigMap/b']);
    expect(house.get(CONFIG_MAP, 'b')).toBeDefined();
  });

  const TRACKER = { ...KINDS.resourceTracker, name: 'web-v1-shop' };

  it('[issue 9, 6] that is lost before its objects are made is written again, and nothing stays outside of it', async () => {
    await using house = await new ApplicationHouse().start();
    justBefore(house, 'create', { ...CONFIG_MAP, name: 'a' }, () => void house.server.delete(TRACKER));
    await house.apply(configs('a', 'b'));
    await house.clock.advance(600_000);
    expect(house.get(CONFIG_MAP, 'a')).toBeDefined();
    expect(listed(house).sort()).toEqual(['ConfigMap/a', 'ConfigMap/b']);
  });

  it('[issue 9, 6] that somebody empties before its objects are made is no longer relied on, and the application says so', async () => {
    await using house = await new ApplicationHouse().start();
    justBefore(house, 'create', { ...CONFIG_MAP, name: 'a' }, () => {
      const found = house.server.peek(TRACKER) as KubeObject; // recording comes first
      house.server.seed({ ...found, spec: { ...(found.spec as object), managedResources: [] } });
    });
    await house.apply(configs('a', 'b'));
    await house.clock.advance(60_000);
    expect(house.condition('Applied')).toMatchObject({ status: 'False' });
    expect(house.condition('Applied')?.message).toContain('ResourceTracker web-v1-shop');
    expect(successful(house, 'delete')).toEqual([]);
  });
});

describe('a finalizer', () => {
  const leave = async (house: ApplicationHouse) => {
    await house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
    await house.clock.settle();
  };
  const left = (house: ApplicationHouse) => house.server.all().filter(({ kind }) => kind === 'ConfigMap' || kind === 'ResourceTracker');

  it('[issue 9, 6] of an application goes only after everything that it owns is gone', async () => {
    await using house = await aHouse('a', 'b');
    let atRelease: readonly KubeObject[] | undefined;
    house.server.watchers.add((before, after) => {
      if (before?.kind === 'Application' && after === undefined) atRelease = left(house);
    });
    house.server.addFaults([{ verb: 'delete', kind: 'ConfigMap', code: 500, times: 3 }]);
    await leave(house);
    expect(house.application().metadata.finalizers).not.toEqual([]);
    await house.clock.advance(600_000);
    expect(house.get(KINDS.application, 'web')).toBeUndefined();
    expect(atRelease).toEqual([]);
  });

  it('[issue 14.1] of somebody else stays on an application whose objects are gone, and holds nothing of them', async () => {
    await using house = await aHouse('a', 'b');
    const held = house.application();
    house.server.seed({
      ...held,
      metadata: { ...held.metadata, finalizers: ['example.com/before', ...(held.metadata.finalizers ?? []), 'example.com/after'] },
    });
    await leave(house);
    await house.clock.advance(60_000);
    expect(house.application().metadata.finalizers).toEqual(['example.com/before', 'example.com/after']);
    expect(left(house)).toEqual([]);
    expect([...house.record.values()].filter(({ action }) => action === 'application.deleted')).toMatchObject([
      { message: 'application web and its objects are deleted', about: { kind: 'Application', name: 'web' } },
    ]);
  });

  it('[issue 9, 6] of an application stays while what it owns cannot be listed, read or deleted', async () => {
    await using house = await aHouse('a', 'b');
    house.server.addFaults([{ verb: 'get', kind: 'ConfigMap', code: 403, times: 10_000 }]);
    await leave(house);
    await house.clock.advance(600_000);
    expect(house.application().metadata.finalizers).not.toEqual([]);
    expect(house.tracked('web-v1-shop')).toEqual(['ConfigMap/a', 'ConfigMap/b']);
  });
});

describe('a list that breaks off on a later page', () => {
  /** From now on lists of a kind give their first page, without what is wanted, and then fail. */
  function breakLists(house: ApplicationHouse, kind: string): () => void {
    const { server } = house;
    const whole = server.list.bind(server);
    server.list = async function* (of, options) {
      for await (const page of whole(of, options)) {
        if (of.kind !== kind) yield page;
        else yield { ...page, items: [], continue: 'the next page' };
      }
      if (of.kind === kind) throw new KubeApiError({ code: 500, reason: 'InternalError', message: 'etcdserver: request timed out' });
    };
    return () => {
      server.list = whole;
    };
  }

  it('[issue 9, 6] is never taken for the whole: no revision is numbered by it', async () => {
    await using house = await aHouse('a');
    await house.apply(configs('b'));
    await house.restart();
    const repair = breakLists(house, 'ApplicationRevision');
    await house.apply(configs('c'));
    await house.clock.advance(60_000);
    const revisions = () =>
      house.server
        .all()
        .filter(({ kind }) => kind === 'ApplicationRevision')
        .map(({ metadata }) => metadata.name);
    expect(revisions()).toEqual(['web-v1', 'web-v2']);
    expect(house.get(CONFIG_MAP, 'b')).toBeDefined();
    repair();
    await house.clock.advance(600_000);
    expect(revisions()).toEqual(['web-v1', 'web-v2', 'web-v3']);
    expect(house.get(CONFIG_MAP, 'c')).toBeDefined();
  });

  it('[issue 9, 6] is never taken for the whole: an application is not let go by it while a tracker may be left', async () => {
    await using house = await aHouse('a');
    const repair = breakLists(house, 'ResourceTracker');
    await house.server.delete({ ...KINDS.application, namespace: 'shop', name: 'web' });
    await house.clock.advance(60_000);
    expect(house.application().metadata.finalizers).not.toEqual([]);
    repair();
    await house.clock.advance(600_000);
    expect(house.get(KINDS.application, 'web')).toBeUndefined();
    expect(house.tracked('web-v1-shop')).toBeUndefined();
  });
});
