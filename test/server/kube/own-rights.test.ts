import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { AccessRight } from '@/server/kube';
import { createOwnRights } from '@/server/kube';
import { ManualClock } from '../../support/manual-clock';

const rule = (verbs: readonly string[], group: string, resources: readonly string[]) => ({ verbs, apiGroups: [group], resources });
const EVERYWHERE = 'slipway-doctor';

/** An API server that lists rules by namespace, and allows by review what an authoriser allows that cannot list. */
function aServer(rules: Readonly<Record<string, readonly object[]>>, allows?: (right: AccessRight) => boolean) {
  const asked: string[] = [];
  const create = async (object: KubeObject): Promise<KubeObject> => {
    if (object.kind === 'SelfSubjectAccessReview') {
      const { resourceAttributes: right } = object.spec as { readonly resourceAttributes: AccessRight };
      asked.push(`${right.verb} ${right.resource}`);
      return { ...object, status: { allowed: allows?.(right) ?? false } };
    }
    const namespace = readString(object, 'spec', 'namespace') ?? '';
    asked.push(namespace);
    return { ...object, status: { resourceRules: rules[namespace] ?? rules[EVERYWHERE] ?? [], incomplete: allows !== undefined } };
  };
  return { asked, create };
}

const right = (verb: string, resource: string, namespace?: string): AccessRight => ({
  verb,
  group: '',
  resource,
  ...(namespace ? { namespace } : {}),
});

describe('what the server may itself', () => {
  it('[issue 10.1] is asked once for the whole cluster and once for a namespace, however much is wanted of it, and again after 15 s', async () => {
    const clock = new ManualClock();
    const server = aServer({ shop: [rule(['*'], '', ['configmaps'])] });
    const own = createOwnRights(server, clock);
    const wanted = [right('create', 'configmaps', 'shop'), right('patch', 'configmaps', 'shop'), right('create', 'pods', 'shop')];
    expect(await own.lacks(wanted)).toEqual([right('create', 'pods', 'shop')]);
    expect(await own.lacks(wanted)).toHaveLength(1);
    expect(server.asked).toEqual([EVERYWHERE, 'shop']);
    await clock.advance(15_000);
    await own.lacks(wanted);
    expect(server.asked).toEqual([EVERYWHERE, 'shop', EVERYWHERE, 'shop']);
  });

  it('[issue 10.1] is asked about no namespace where it holds everywhere', async () => {
    const server = aServer({ [EVERYWHERE]: [rule(['*'], '*', ['*'])] });
    expect(await createOwnRights(server, new ManualClock()).lacks([right('create', 'pods', 'shop'), right('delete', 'nodes')])).toEqual([]);
    expect(server.asked).toEqual([EVERYWHERE]);
  });

  it('[issue 10.1] is asked right by right where an authoriser cannot list what it allows', async () => {
    const server = aServer({}, ({ verb }) => verb === 'create');
    const own = createOwnRights(server, new ManualClock());
    expect(await own.lacks([right('create', 'pods', 'shop'), right('delete', 'pods', 'shop')])).toEqual([right('delete', 'pods', 'shop')]);
    expect(server.asked).toEqual([EVERYWHERE, 'shop', 'create pods', 'delete pods']);
  });

  it('[issue 10.1] holds for an object where a rule names it, and for no other', async () => {
    const server = aServer({ shop: [{ ...rule(['patch'], '', ['configmaps']), resourceNames: ['one'] }] });
    const own = createOwnRights(server, new ManualClock());
    const named = (name: string) => ({ ...right('patch', 'configmaps', 'shop'), name });
    expect(await own.lacks([named('one'), named('two'), right('patch', 'configmaps', 'shop')])).toEqual([
      named('two'),
      right('patch', 'configmaps', 'shop'),
    ]);
  });

  it('[issue 10.1] is not known where the cluster does not answer, and a sentence says so', async () => {
    const own = createOwnRights({ create: () => Promise.reject(new Error('away')) }, new ManualClock());
    await expect(own.lacks([right('create', 'pods', 'shop')])).rejects.toThrow(
      'the cluster could not be asked what the server may do: away',
    );
  });
});
