import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { Requester } from '@/server/application/permission/missing-right';
import { explainMissingRight, explainUnattributedObject } from '@/server/application/permission/missing-right';
import type { RightsNeeded } from '@/server/application/permission/rights-needed';
import { verbsNeeded } from '@/server/application/permission/verbs-needed';
import { parsePolicies } from '@/server/application/spec/policies';
import type { AccessRight, OwnRights } from '@/server/kube';
import { Grants, KubeApiError, NoMatchError } from '@/server/kube';
import { FakeApiServer } from '../../support/dispatch-server';

const { discovery } = new FakeApiServer();
const object = (kind: string, name: string, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop' },
  ...more,
});
const rbac = (kind: string, name: string, more: object = {}): KubeObject =>
  object(kind, name, { apiVersion: 'rbac.authorization.k8s.io/v1', ...more });
const writes = (...objects: readonly KubeObject[]): RightsNeeded =>
  change({ written: objects.map((one) => ({ object: one, verbs: ['create', 'patch'] })) });
const change = (more: Partial<RightsNeeded>): RightsNeeded => ({
  application: 'Application web in shop',
  namespace: 'shop',
  written: [],
  going: [],
  ...more,
});
const line = ({ verb, resource, namespace, name }: AccessRight) => [verb, resource, namespace ?? '*', name ?? '*'].join(' ');

/** Somebody who holds what the rule says, and what they were asked about. */
function somebody(holds: (right: string) => boolean, refused?: (one: KubeObject) => Error | undefined) {
  const asked: string[] = [];
  const tried: string[] = [];
  const asker: Requester = {
    user: 'ada',
    may: async (right) => {
      asked.push(line(right));
      return holds(line(right));
    },
    tryCreate: async (one) => {
      tried.push(one.metadata.name ?? '');
      const error = refused?.(one);
      if (error !== undefined) throw error;
      return one;
    },
  };
  return { asker, asked, tried, why: (needed: RightsNeeded) => explainMissingRight(needed, asker, discovery) };
}
const failure = (code: number, reason: string, message = 'refused') => new KubeApiError({ code, reason, message });

describe('rights of whoever asked', () => {
  it('[issue 10, 1] are one question per verb, kind and namespace, whatever number of objects', async () => {
    const { why, asked } = somebody(() => true);
    const needed = {
      ...writes(object('ConfigMap', 'a'), object('ConfigMap', 'b')),
      going: [{ apiVersion: 'v1', kind: 'Secret', name: 'c', namespace: 'shop' }],
    };
    expect(await why(needed)).toBeUndefined();
    expect(asked).toEqual(['create configmaps shop *', 'patch configmaps shop *', 'delete secrets shop *']);
  });

  it('[issue 10, 1] to each object by its name will do where the one to its kind is not held, but for what is yet to be made', async () => {
    const byName = somebody((right) => right.startsWith('create') || right.endsWith(' a') || right.endsWith(' b'));
    expect(await byName.why(writes(object('ConfigMap', 'a'), object('ConfigMap', 'b')))).toBeUndefined();
    expect(await byName.why(writes(object('ConfigMap', 'a'), object('ConfigMap', 'c'), object('ConfigMap', 'b')))).toBe(
      'ada may not patch ConfigMap c in shop, which Application web in shop would have the server do for them: it requires the right "patch" on configmaps in namespace shop; nothing was changed',
    );
    const notMake = somebody((right) => !right.startsWith('create') || !right.endsWith('*'));
    expect(await notMake.why(writes(object('ConfigMap', 'a')))).toContain('ada may not create ConfigMap a in shop');
  });

  it('[issue 10, 1] are asked about by name for a hundred objects, and for no more', async () => {
    const going = (count: number) =>
      change({
        going: Array.from({ length: count }, (_, at) => ({ apiVersion: 'v1', kind: 'Secret', name: `s${at}`, namespace: 'shop' })),
      });
    const named = somebody((right) => !right.endsWith('*'));
    expect(await named.why(going(100))).toBeUndefined();
    expect(await named.why(going(101))).toContain('ada may not delete Secret s0 in shop');
  });

  it('[issue 10, 1] to what lies in no namespace are asked for everywhere, whatever the manifest says', async () => {
    const { why, asked } = somebody(() => false);
    expect(await why(change({ going: [{ apiVersion: 'v1', kind: 'Namespace', name: 'bank', namespace: 'shop' }] }))).toMatch(
      /may not delete Namespace bank, .*: it requires the right "delete" on namespaces \(cluster-scoped\); nothing was changed$/,
    );
    expect(asked).toEqual(['delete namespaces * *', 'delete namespaces * bank']);
  });

  it('[issue 9.4] to a kind that the cluster serves no longer are those on its whole group, and the sentence says why', async () => {
    const pump = object('Pump', 'slow', { apiVersion: 'water.example.com/v1' });
    const { asker } = somebody((right) => right !== 'create * * *');
    const resolveKind = () => Promise.reject(new NoMatchError(pump));
    expect(await explainMissingRight(writes(pump), asker, { ...discovery, resolveKind })).toBe(
      'ada may not create Pump slow, which Application web in shop would have the server do for them: the cluster serves no kind Pump of water.example.com/v1, and it requires the right "create" on *.water.example.com in all namespaces; nothing was changed',
    );
  });

  it('[issue 10, 1] are asked about in each namespace by itself, and so many at once that the API server keeps its breath', async () => {
    const elsewhere = (namespace: string) => object('ConfigMap', 'a', { metadata: { name: 'a', namespace } });
    const { why, asked } = somebody((right) => !right.includes(' bank '));
    expect(await why(writes(object('ConfigMap', 'a'), elsewhere('bank')))).toContain('ada may not create ConfigMap a in bank');
    expect(asked).toEqual(expect.arrayContaining(['create configmaps shop *', 'create configmaps bank *']));
    const at = { now: 0, most: 0 };
    const counting: Requester = {
      ...somebody(() => true).asker,
      may: async () => {
        at.most = Math.max(at.most, ++at.now);
        await Promise.resolve();
        at.now -= 1;
        return true;
      },
    };
    const many = writes(...Array.from({ length: 20 }, (_, index) => elsewhere(`ns-${index}`)));
    expect(await explainMissingRight(many, counting, discovery)).toBeUndefined();
    expect(at.most).toBe(16);
  });

  it('[issue 9.4] to a kind that is defined beside it are those on this very kind, where its definition says that it lies', async () => {
    const pump = object('Pump', 'slow', { apiVersion: 'water.example.com/v1' });
    const resolveKind = (type: { readonly kind: string }) =>
      type.kind === 'Pump' ? Promise.reject(new NoMatchError(pump)) : discovery.resolveKind({ group: '', kind: 'ConfigMap' });
    const definition = (group: string, kind: string, scope: string, of = 'CustomResourceDefinition', names: object = { plural: 'pumps' }) =>
      object(of, 'pumps', {
        apiVersion: 'apiextensions.k8s.io/v1',
        spec: { group, scope, names: { kind, ...names } },
      });
    const askedBeside = async (...beside: readonly KubeObject[]) => {
      const { asker, asked } = somebody(() => true);
      await explainMissingRight(writes(pump, ...beside), asker, { ...discovery, resolveKind });
      return asked[0];
    };
    const others = [
      definition('water.example.com', 'Valve', 'Namespaced'),
      definition('gas.example.com', 'Pump', 'Namespaced'),
      definition('water.example.com', 'Pump', 'Namespaced', 'ConfigMap'),
    ];
    expect(await askedBeside(...others)).toBe('create * * *');
    expect(await askedBeside(...others, definition('water.example.com', 'Pump', 'Namespaced'))).toBe('create pumps shop *');
    expect(await askedBeside(definition('water.example.com', 'Pump', 'Cluster'))).toBe('create pumps * *');
    expect(await askedBeside(definition('water.example.com', 'Pump', 'Namespaced', undefined, {}))).toBe('create * shop *');
  });

  it('[issue 9.4] are not told of as missing where the cluster could not be asked', async () => {
    const { asker } = somebody(() => true);
    const broken = { ...discovery, resolveKind: () => Promise.reject(new Error('the API server is gone')) };
    await expect(explainMissingRight(writes(object('ConfigMap', 'a')), asker, broken)).rejects.toThrow('the API server is gone');
  });

  it('[issue 10, 1] say what is taken over in a word of its own', async () => {
    const { why } = somebody(() => false);
    const takes = change({ written: [{ object: object('ConfigMap', 'a'), verbs: ['patch'], deed: 'take over' }] });
    expect(await why(takes)).toMatch(/^ada may not take over ConfigMap a in shop, .*"patch" on configmaps in namespace shop/);
  });
});

describe('what gives rights', () => {
  const role = rbac('Role', 'reader');
  const bound = (kind: string) => rbac('RoleBinding', 'readers', { roleRef: { kind, name: 'reader' } });

  it.each([
    ['a Role', role, 'escalate roles shop *'],
    ['a ClusterRole', rbac('ClusterRole', 'reader'), 'escalate clusterroles * *'],
    ['a binding of a Role', bound('Role'), 'bind roles shop reader'],
    ['a binding of a ClusterRole', bound('ClusterRole'), 'bind clusterroles * reader'],
  ])('[design 8] %s is given by who may give anything of its kind, without trying', async (_what, one, shortcut) => {
    const { why, asked, tried } = somebody((right) => right === shortcut || !/^(escalate|bind)/.test(right));
    expect(await why(writes(one))).toBeUndefined();
    expect([asked.at(-1), tried]).toEqual([shortcut, []]);
  });

  it('[design 8] is given where its kind lies: a Role in its namespace, a ClusterRole in the cluster', async () => {
    const asked: AccessRight[] = [];
    const asker: Requester = { ...somebody(() => true).asker, may: async (right) => asked.push(right) > 0 };
    await explainMissingRight(writes(bound('Role'), rbac('ClusterRole', 'reader')), asker, discovery);
    const group = 'rbac.authorization.k8s.io';
    expect(asked.slice(-2)).toEqual([
      { verb: 'bind', group, resource: 'roles', namespace: 'shop', name: 'reader' },
      { verb: 'escalate', group, resource: 'clusterroles', isClusterScoped: true },
    ]);
  });

  const notMore = (right: string) => !/^(escalate|bind)/.test(right);

  it('[design 8] is tried as the person otherwise, and refused with the words of the cluster', async () => {
    const taken = somebody(notMore, () => failure(409, 'AlreadyExists'));
    expect(await taken.why(writes(role))).toBeUndefined();
    const granted = somebody(notMore);
    expect([await granted.why(writes(role)), granted.tried]).toEqual([undefined, ['reader']]);
    const refused = somebody(notMore, () => failure(403, 'Forbidden', 'holds not what it gives'));
    expect(await refused.why(writes(role))).toMatch(
      /^ada may not grant the rights in Role reader in shop, .*holds not what it gives; nothing was changed$/,
    );
  });

  it('[design 8] a binding of a role that is nowhere is given only with that very role beside it', async () => {
    const missing = (one: KubeObject) => (one.kind === 'RoleBinding' ? failure(404, 'NotFound', 'no such role') : undefined);
    expect(await somebody(notMore, missing).why(writes(bound('Role'), role))).toBeUndefined();
    for (const beside of [rbac('Role', 'other'), rbac('ClusterRole', 'reader')]) {
      expect(await somebody(notMore, missing).why(writes(bound('Role'), beside))).toContain('no such role');
    }
    const onlyRead = change({ written: [...writes(bound('Role')).written, { object: role, verbs: ['get'] }] });
    expect(await somebody(notMore, missing).why(onlyRead)).toContain('no such role');
  });

  it('[design 8] is refused for each that may not be given, whatever lies beside it', async () => {
    const second = (one: KubeObject) => (one.metadata.name === 'writer' ? failure(403, 'Forbidden', 'holds not what it gives') : undefined);
    const { why, tried } = somebody(notMore, second);
    expect(await why(writes(role, rbac('Role', 'writer')))).toContain('ada may not grant the rights in Role writer in shop');
    expect(tried).toEqual(['reader', 'writer']);
    const forbidden = (one: KubeObject) => (one.kind === 'RoleBinding' ? failure(403, 'Forbidden', 'holds not what it gives') : undefined);
    expect(await somebody(notMore, forbidden).why(writes(bound('Role'), role))).toContain(
      'ada may not grant the rights in RoleBinding readers in shop',
    );
  });

  it('[design 8] requires the right to give anything where the server may try nothing as the person, and says so', async () => {
    const acting = () => failure(403, 'Forbidden', 'users "ada" is forbidden: cannot impersonate resource "users" in API group ""');
    const given = rbac('ClusterRoleBinding', 'all', { roleRef: { kind: 'ClusterRole', name: 'reader' } });
    expect(await somebody(notMore, acting).why(writes(given))).toMatch(
      /^ada may not grant the rights in ClusterRoleBinding all, which .*: the server may not impersonate them to find out whether they hold these rights, so it requires the right "bind" on clusterroles\.rbac\.authorization\.k8s\.io reader \(cluster-scoped\); nothing was changed$/,
    );
  });

  it('[design 8] that is only read is not tried', async () => {
    const { why, tried } = somebody(notMore, () => failure(403, 'Forbidden'));
    expect([await why(change({ written: [{ object: role, verbs: ['get'] }] })), tried]).toEqual([undefined, []]);
  });
});

describe('an application that nobody is known to have asked for', () => {
  const reach = (one: KubeObject, ...args: readonly ['own' | 'all' | 'none']) => explainUnattributedObject(writes(one), args[0], discovery);

  it('[design 8] may hold what lies in its own namespace and gives no rights', async () => {
    expect(await reach(object('ConfigMap', 'a'), 'own')).toBeUndefined();
    expect(await reach(object('ConfigMap', 'a', { metadata: { name: 'a', namespace: 'bank' } }), 'own')).toContain(
      'only objects in namespace shop that grant no rights',
    );
    expect(await reach(rbac('Role', 'reader'), 'own')).toContain('it is unknown who requested Role reader in shop');
    expect(await reach(object('Namespace', 'shop'), 'own')).toContain('it is unknown who requested Namespace shop of');
  });

  it('[design 8] may let nothing else go either', async () => {
    const going = (namespace: string) => change({ going: [{ apiVersion: 'v1', kind: 'Secret', name: 'key', namespace }] });
    expect(await explainUnattributedObject(going('shop'), 'own', discovery)).toBeUndefined();
    expect(await explainUnattributedObject(going('bank'), 'own', discovery)).toContain('Secret key in bank');
  });

  it('[design 8] may hold everything or nothing where the setting says so', async () => {
    expect(await reach(rbac('ClusterRole', 'reader'), 'all')).toBeUndefined();
    expect(await reach(object('ConfigMap', 'a'), 'none')).toContain('so it may contain nothing at all');
  });
});

describe('verbs of a manifest', () => {
  const policies = (type?: string, properties: object = {}) =>
    parsePolicies(type === undefined ? [] : [{ name: 'p', type, properties }], { object: 'Application web in shop', path: [] });
  const all = { rules: [{ selector: { resourceTypes: ['ConfigMap'] } }] };
  const [plain, readOnly, takeOver, once] = [
    policies(),
    policies('read-only', all),
    policies('take-over', all),
    policies('apply-once', { enable: true }),
  ];
  const manifest = object('ConfigMap', 'a');
  const wish = (
    now: typeof plain,
    before: typeof plain | undefined,
    more: { readonly isNew?: boolean; readonly isSame?: boolean } = {},
  ) => {
    const past = before && { manifest, policies: before };
    return verbsNeeded({ manifest, policies: now, isNew: false, isSame: true, ...more, past }).map(({ verbs, deed }) =>
      [...verbs, ...(deed ? [deed] : [])].join(),
    );
  };

  it.each<[string, typeof plain, typeof plain | undefined, { readonly isNew?: boolean; readonly isSame?: boolean }, readonly string[]]>([
    ['that is new is made', plain, undefined, {}, ['create,patch']],
    ['that stays as it was needs none', plain, plain, {}, []],
    ['that is another is written', plain, plain, { isSame: false }, ['patch']],
    ['that is only read now is read', readOnly, undefined, {}, ['get']],
    ['that is read as before needs none', readOnly, readOnly, { isSame: false }, []],
    ['that is written where it was only read is as good as new', plain, readOnly, {}, ['create,patch']],
    ['that is taken over from now on is', takeOver, plain, {}, ['patch,take over']],
    ['that was taken over before needs none', takeOver, takeOver, {}, []],
    ['that is applied once needs none while nothing is new', once, once, {}, []],
    ['that is applied once is applied once more by a new revision', once, once, { isNew: true }, ['create,patch']],
    ['that was left alone and is no more is as good as new', plain, once, {}, ['create,patch']],
    ['that is left alone from now on needs none', once, plain, {}, []],
  ])('[issue 10, 1] %s', (_what, now, before, more, wanted) => {
    expect(wish(now, before, more)).toEqual(wanted);
  });

  const leaving = (path: readonly string[], affect: 'always' | 'onStateKeep' | 'onUpdate' = 'always') =>
    policies('apply-once', { enable: true, rules: [{ selector: { resourceTypes: ['ConfigMap'] }, strategy: { path, affect } }] });

  it('[issue 10, 1] of which a field is left alone no longer is written, and of which one more is left needs none', () => {
    const [one, both] = [leaving(['data.a']), leaving(['data.a', 'data.b'])];
    expect([wish(plain, one), wish(one, both)]).toEqual([['patch'], ['patch']]);
    expect([wish(one, plain), wish(both, one), wish(one, one), wish(one, one, { isNew: true })]).toEqual([[], [], [], []]);
  });

  it('[issue 10, 1] of which a field is left alone until the next revision is written by that', () => {
    const kept = leaving(['data.a'], 'onStateKeep');
    expect([wish(kept, kept), wish(kept, kept, { isNew: true })]).toEqual([[], ['patch']]);
    expect(wish(leaving(['data.a'], 'onUpdate'), kept)).toEqual(['patch']);
  });
});

describe('grants of a namespace', () => {
  const deeds =
    (...names: readonly string[]) =>
    () =>
      names.map((name) => ({ verbs: ['patch'], object: { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'shop' } }));
  const grantsOf = (holds: (right: string) => boolean, options: ConstructorParameters<typeof Grants>[2] = {}) => {
    const own = { lacks: async (rights: readonly AccessRight[]) => rights.filter((right) => !holds(line(right))) } as OwnRights; // what is asked of it
    return new Grants(own, 'application', options);
  };
  const key = toObjectKey({ namespace: 'shop', name: 'web' });

  it('[issue 10.1] hold an application that the server may not write, and are forgotten with it', async () => {
    let may = false;
    const grants = grantsOf(() => may);
    const explain = () => grants.explain(key, deeds('a'), discovery);
    expect(await explain()).toMatch(
      /^the server may not patch configmaps in namespace shop until its owner grants it: .*slipway grant shop/,
    );
    expect(grants.findings()).toMatchObject([
      { area: 'rights', subject: 'shop', sentence: expect.stringContaining('1 application waits') },
    ]);
    may = true;
    expect([await explain(), grants.findings()]).toEqual([undefined, []]);
    may = false;
    await explain();
    grants.forget(key);
    expect(grants.findings()).toEqual([]);
  });

  it('[issue 10.1] of single objects will do for a hundred of them, and not for what is yet to be made', async () => {
    const named = (count: number, verb = 'patch') => {
      const grants = grantsOf((right) => !right.endsWith('*'));
      const objects = deeds(...Array.from({ length: count }, (_, at) => `c${at}`))().map((deed) => ({ ...deed, verbs: [verb] }));
      return grants.explain(key, () => objects, discovery);
    };
    expect(await named(100)).toBeUndefined();
    expect(await named(101)).toContain('the server may not patch configmaps');
    expect(await named(1, 'create')).toContain('the server may not create configmaps');
    const onlyA = grantsOf((right) => right.endsWith(' a'));
    expect(await onlyA.explain(key, deeds('a', 'b'), discovery)).toContain('the server may not patch configmaps');
  });

  it('[issue 12.3] come after the creation of a namespace that is not there, and are asked for in none that is being deleted', async () => {
    const told = async (state: 'absent' | 'ending') => {
      const grants = grantsOf(() => false, { stateOf: () => state });
      return [await grants.explain(key, deeds('a'), discovery), grants.findings()[0]?.remedy];
    };
    const command = 'kubectl create namespace shop && slipway grant shop | kubectl apply -f -';
    expect(await told('absent')).toEqual([
      `the server may not patch configmaps in namespace shop, which does not exist: create it, and grant it: ${command}`,
      command,
    ]);
    expect(await told('ending')).toEqual([
      'the server may not patch configmaps in namespace shop, which is being deleted, so nothing can be granted there',
      null,
    ]);
  });

  it.each(['shop; touch owned', '$(id)', 'Shop', "a'b", 'a\nb'])(
    '[design 8] are told with no command for what can be no namespace, %j, whoever named it',
    async (namespace) => {
      const grants = grantsOf(() => false, { stateOf: () => 'absent' });
      const there = () => deeds('a')().map((deed) => ({ ...deed, object: { ...deed.object, namespace } }));
      const why = `the server may not patch configmaps in namespace ${JSON.stringify(namespace)}, which is not a valid namespace name`;
      expect(await grants.explain(key, there, discovery)).toBe(why);
      expect(grants.findings()).toMatchObject([{ remedy: null }]);
    },
  );

  it('[issue 10.1] are not asked for where the server may write everywhere', async () => {
    expect(await new Grants(undefined, 'application').explain(key, deeds('a'), discovery)).toBeUndefined();
  });
});
