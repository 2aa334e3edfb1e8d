import { describe, expect, it } from 'vitest';
import { DEEPEST_APPLICATION } from '@/lib/kube/depth';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { RequesterCheck } from '@/server/application/permission/requester';
import { explainForbidden, noteOf } from '@/server/application/permission/requester';
import type { RightsNeeded } from '@/server/application/permission/rights-needed';
import { LABEL } from '@/server/dispatch';
import type { Person } from '@/server/kube';
import { FakeApiServer } from '../../support/dispatch-server';

const SERVER = 'system:serviceaccount:slipway:slipway';
const name = (object: KubeObject): Person | undefined => {
  const user = object.metadata.annotations?.['slipway.dev/requested-by'];
  return user === undefined ? undefined : { user, groups: [] };
};
const anApplication = (called: string, by: string | undefined, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  ...KINDS.application,
  metadata: {
    name: called,
    namespace: 'shop',
    labels,
    annotations: by === undefined ? {} : { 'slipway.dev/requested-by': by },
  },
});
const of = (outer: string, more: Readonly<Record<string, string>> = { [LABEL.appNamespace]: 'shop' }) => ({
  [LABEL.appName]: outer,
  ...more,
});
const tracker = (labels: Readonly<Record<string, string>>, lists: readonly string[], more: object = {}): KubeObject => ({
  ...KINDS.resourceTracker,
  metadata: { name: `of-${lists.join('-')}`, labels },
  spec: {
    type: 'versioned',
    managedResources: lists.map((inner) => ({ ...KINDS.application, name: inner, namespace: 'shop', ...more })),
  },
});

function who(application: KubeObject, applications: readonly KubeObject[], trackers: readonly KubeObject[]): Promise<string | undefined> {
  const stores = {
    trackers: { list: () => trackers },
    applications: { get: (key: string) => applications.find(({ metadata }) => toObjectKey(metadata) === key) },
  };
  const context = { permission: { ownUser: async () => SERVER }, stores } as unknown as RequesterCheck;
  return noteOf(context, application, name).then((person) => person?.user);
}

describe('whose rights count for an application', () => {
  const inner = anApplication('inner', SERVER, of('outer'));
  const outer = anApplication('outer', 'ada');

  it('[design 8] are those of who is noted on it, and of nobody where nobody is', async () => {
    expect(await who(anApplication('web', 'ada'), [], [])).toBe('ada');
    expect(await who(anApplication('web', undefined), [], [])).toBeUndefined();
    expect(await who(anApplication('web', 'ada', of('outer')), [anApplication('outer', 'ben')], [tracker(of('outer'), ['web'])])).toBe(
      'ada',
    );
  });

  it('[design 8] are those of who asked for the outer one where the server wrote it, however deep', async () => {
    expect(await who(inner, [outer], [tracker(of('other'), ['else']), tracker(of('outer'), ['first', 'inner'])])).toBe('ada');
    expect(await who(inner, [outer], [tracker(of('outer', { [LABEL.appNamespaceMisspelt]: 'shop' }), ['inner'])])).toBe('ada');
    const nobodys = [tracker({}, ['inner']), tracker(of('outer', {}), ['inner']), tracker({ [LABEL.appNamespace]: 'shop' }, ['inner'])];
    expect(await who(inner, [outer], [...nobodys, tracker(of('outer'), ['inner'])])).toBe('ada');
    const bank = { ...outer, metadata: { ...outer.metadata, name: 'inner', namespace: 'bank' } };
    const elsewhere = of('inner', { [LABEL.appNamespace]: 'bank' });
    expect(await who(anApplication('inner', SERVER, elsewhere), [bank], [tracker(elsewhere, ['inner'])])).toBe('ada');
    const middle = anApplication('middle', SERVER, of('outer'));
    const deep = [tracker(of('middle'), ['inner']), tracker(of('outer'), ['middle'])];
    expect(await who(anApplication('inner', SERVER, of('middle')), [middle, outer], deep)).toBe('ada');
  });

  it.each<[string, readonly KubeObject[]]>([
    ['no record', []],
    ['a record of others', [tracker(of('outer'), ['else'])]],
    ['a record of what was taken away', [tracker(of('outer'), ['inner'], { deleted: true })]],
    ['a record of nobody', [tracker({}, ['inner'])]],
    ['a record that names no namespace', [tracker(of('outer', {}), ['inner'])]],
    ['its own record', [tracker(of('inner'), ['inner'])]],
    ['the record of another application elsewhere', [tracker(of('outer', { [LABEL.appNamespace]: 'bank' }), ['inner'])]],
  ])('[design 8] are nobody’s where it bears the name of another and %s tells which', async (_what, trackers) => {
    expect(await who(inner, [outer], trackers)).toBeUndefined();
  });

  it('[design 8] are the server’s own where it asked for one itself that lies in no other', async () => {
    expect(await who(anApplication('web', SERVER), [], [])).toBe(SERVER);
    expect(await who(anApplication('web', SERVER, of('web')), [], [tracker(of('web'), ['web'])])).toBe(SERVER);
    expect(await who(anApplication('web', SERVER, of('web', { [LABEL.appNamespace]: 'bank' })), [], [])).toBeUndefined();
  });

  it('[issue 10.7] are found as deep as applications may lie in each other, and no deeper', async () => {
    const nested = (levels: number) => {
      const at = (level: number) => (level === levels ? outer : anApplication(`level-${level}`, SERVER, of(called(level + 1))));
      const called = (level: number) => (level === levels ? 'outer' : `level-${level}`);
      const all = Array.from({ length: levels + 1 }, (_, level) => at(level));
      const trackers = all.slice(1).map(({ metadata }, level) => tracker(of(metadata.name ?? ''), [called(level)]));
      return who(at(0), all, trackers);
    };
    expect([await nested(DEEPEST_APPLICATION), await nested(DEEPEST_APPLICATION + 1)]).toEqual(['ada', undefined]);
  });

  it('[design 8] are nobody’s where applications lie in each other without end', async () => {
    const ring = [anApplication('inner', SERVER, of('outer')), anApplication('outer', SERVER, of('inner'))];
    expect(await who(inner, ring, [tracker(of('outer'), ['inner']), tracker(of('inner'), ['outer'])])).toBeUndefined();
  });
});

describe('a change', () => {
  const { discovery } = new FakeApiServer();
  const written = (namespace: string): RightsNeeded => ({
    application: 'Application web in shop',
    namespace: 'shop',
    written: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace } }, verbs: ['create'] }],
    going: [],
  });
  const role: RightsNeeded = {
    ...written('shop'),
    written: [
      {
        object: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r', namespace: 'shop' } },
        verbs: ['create'],
      },
    ],
  };

  function forbidden(
    change: RightsNeeded,
    requester: Person | undefined,
    { holds = true, blocked = null as string | null | undefined } = {},
  ) {
    const asked: string[] = [];
    const acted: Person[] = [];
    const tried: unknown[] = [];
    const cluster = {
      discovery,
      as: (person: Person) => {
        acted.push(person);
        return { create: async (_object: KubeObject, options: unknown) => void tried.push(options) };
      },
    };
    const permission = {
      unattributed: 'own',
      review: async ({ user }: Person, right: { readonly verb: string }, { through }: { readonly through?: unknown } = {}) => {
        asked.push(`${user} ${right.verb}${through === cluster ? '' : ' elsewhere'}`);
        return holds && right.verb !== 'escalate';
      },
    };
    const deps = { cluster, decisionsBlockedReason: blocked === undefined ? undefined : () => blocked };
    const why = explainForbidden({ permission, deps } as unknown as RequesterCheck, change, requester);
    return why.then((told) => ({ told, asked, acted, tried }));
  }
  const ada = { user: 'ada', groups: ['ops', 'system:authenticated'] };

  it('[design 8] is allowed by the rights of who asked for it, wherever it writes', async () => {
    expect(await forbidden(written('bank'), ada)).toMatchObject({ told: undefined, asked: ['ada create'], acted: [] });
    expect(await forbidden(written('bank'), ada, { blocked: undefined })).toMatchObject({ told: undefined, asked: ['ada create'] });
    expect((await forbidden(written('shop'), ada, { holds: false })).told).toContain('ada may not create ConfigMap a in shop');
  });

  it('[design 8] is judged as one of nobody where nobody is noted, and while nothing ties the name to a person', async () => {
    for (const given of [{ requester: undefined }, { requester: ada, blocked: 'nothing ties names to people' }]) {
      const { requester, ...more } = given;
      expect((await forbidden(written('bank'), requester, more)).told).toContain('it is unknown who requested ConfigMap a in bank');
      const asked = requester === undefined ? [] : ['ada create'];
      expect(await forbidden(written('shop'), requester, more)).toMatchObject({ told: undefined, asked, acted: [] });
    }
  });

  it('[issue 10.1] is no more than who is noted may do, also while nothing ties the name to a person', async () => {
    const { told } = await forbidden(written('shop'), ada, { holds: false, blocked: 'the policies cannot be read' });
    expect(told).toContain('ada may not create ConfigMap a in shop');
  });

  it('[design 8] that gives rights is tried as the person without effect, and without the groups that the API server gives itself', async () => {
    const { told, acted, tried } = await forbidden(role, ada);
    expect([told, acted, tried]).toEqual([undefined, [{ user: 'ada', groups: ['ops'] }], [{ dryRun: true }]]);
  });
});
