import { describe, expect, it } from 'vitest';
import { LABELLED_BY, LABELLED_NAMES, REQUESTED_BY } from '@/lib/kube/kinds';
import { withLabelAuthors } from '@/lib/kube/labels/label-authors';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { formatWithheld } from '@/server/application/decide/conditions';
import type { Observation } from '@/server/application/observe/observe';
import { changedLabels, labelsOf, withPermittedLabels } from '@/server/application/permission/propagated';
import type { RequesterCheck } from '@/server/application/permission/requester';
import { parseApplication } from '@/server/application/spec/parse';
import type { AccessRight, Person } from '@/server/kube';
import { FakeApiServer } from '../../support/dispatch-server';
import { configMap, holding, revisionOf, seenAfter } from './seen';

const { discovery } = new FakeApiServer();
const ada: Person = { user: 'ada', groups: [] };
const noted = (by: { readonly user: string }, user: string) => ({ [by.user]: user });
const of = (labels: object, annotations: object = {}, objects: readonly object[] = [configMap('a'), configMap('b')], policies = {}) =>
  holding(objects, policies, { labels, annotations });

/** Who was asked for which right, by an engine where these hold it. */
function asking(holds: (user: string, right: string) => boolean) {
  const asked: string[] = [];
  const permission = {
    unattributed: 'none',
    ownUser: async () => 'server',
    review: async ({ user }: Person, { verb, resource, namespace, name }: AccessRight) => {
      const right = [verb, resource, namespace ?? '*', name ?? '*'].join(' ');
      asked.push(`${user}: ${right}`);
      return holds(user, right);
    },
  };
  const stores = { trackers: { list: () => [] }, applications: { get: () => undefined } };
  const deps = { cluster: { discovery }, clock: { now: () => 0 as Instant } };
  return { asked, check: { permission, stores, deps } as unknown as RequesterCheck };
}

interface Carrying {
  readonly holds?: boolean;
  /** Who is about to write it; nobody where it is written. */
  readonly by?: Person | undefined;
  /** What it is written over. */
  readonly held?: KubeObject;
  /** Who may do anything, where not everybody or nobody. */
  readonly mighty?: string;
}

async function carried(seen: Observation, { holds = false, by, held, mighty }: Carrying = {}) {
  const { asked, check } = asking((user) => (mighty === undefined ? holds : user === mighty));
  const after = await withPermittedLabels(check, seen, by && withLabelAuthors(seen.object, held, by));
  if ('fault' in after.application) throw new Error(after.application.fault);
  const { labels, annotations } = after.application;
  return { asked, after, labels, annotations, withheld: after.withheld && formatWithheld(after.withheld) };
}
const changed = (before: KubeObject, after: KubeObject) => seenAfter([revisionOf(before)], after);

describe('labels and annotations that somebody changed', () => {
  const [red, blue] = [of({ team: 'red' }), of({ team: 'blue' }, noted(LABELLED_BY, 'eve'))];

  it('[issue 10.1] reach the objects where that person may patch all of them, and are asked about of nobody else', async () => {
    const seen = changed(red, blue);
    const { asked, after } = await carried(seen, { holds: true });
    expect(after).toBe(seen);
    expect(asked).toEqual(['eve: patch configmaps shop *']);
  });

  it('[issue 10.1] stay as they were permitted last otherwise, with a sentence that names person, label and right', async () => {
    const { labels, annotations, withheld, after } = await carried(changed(red, blue));
    expect([labels, annotations]).toEqual([{ team: 'red' }, noted(LABELLED_BY, 'eve')]);
    expect(withheld).toBe(
      'team of Application web in shop, changed by eve, is not propagated to its objects, which keep the last permitted value: eve may not patch ConfigMap a in shop, which Application web in shop would have the server do for them: it requires the right "patch" on configmaps in namespace shop; nothing was changed',
    );
    expect(after).toMatchObject({ object: blue, application: { name: 'web', namespace: 'shop' } });
  });

  it('[issue 10.1] are told of together, in order, and those that were added or are gone among them', async () => {
    const after = of({ added: '1', same: 's' }, { note: 'new' });
    const held = of({ gone: '1', same: 's' }, { note: 'old' });
    const { labels, annotations, withheld } = await carried(changed(held, after), { by: ada, held });
    expect([labels, annotations]).toEqual([{ gone: '1', same: 's' }, { note: 'old' }]);
    expect(withheld).toMatch(
      /^added, gone, note of Application web in shop, changed by ada, are not propagated to its objects, which keep the last permitted values: ada may not/,
    );
  });

  it('[issue 10.1] reach nothing before the first revision where nobody may, but for those that are about the application alone', async () => {
    const words = { 'slipway.dev/own': 'x', 'kubectl.kubernetes.io/own': 'y' };
    const { labels, annotations } = await carried(seenAfter([], of({ team: 'red', ...words }, { note: 'n', ...words })), { by: ada });
    expect([labels, annotations]).toEqual([words, words]);
  });

  it('[issue 10.1] of ours and of kubectl are those that the application has now, and are no change', async () => {
    const own = (value: string) => ({ 'slipway.dev/own': value });
    const seen = changed(of(own('1'), own('1')), of(own('2'), own('2')));
    const same = await carried(seen);
    expect([same.after === seen, same.asked]).toEqual([true, []]);
    const both = await carried(
      changed(of({ team: 'red', ...own('1') }, { note: 'n', ...own('1') }), of({ team: 'blue', ...own('2') }, { note: 'm', ...own('2') })),
    );
    expect([both.labels, both.annotations]).toEqual([
      { team: 'red', ...own('2') },
      { note: 'n', ...own('2') },
    ]);
  });

  it('[issue 10.1] leave those that are about the application alone gone where it has them no more', async () => {
    const { labels, annotations } = await carried(changed(of({ team: 'red', 'slipway.dev/own': '1' }), of({ team: 'blue' })), { by: ada });
    expect([labels, annotations]).toEqual([{ team: 'red' }, {}]);
  });

  it('[issue 10.1] are asked about at each object that is written, and at none that is only read', async () => {
    const objects = [
      configMap('a'),
      configMap('b', {}, { namespace: 'bank' }),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
    ];
    const policies = { 'read-only': { rules: [{ selector: { resourceTypes: ['Secret'] } }] } };
    const { asked } = await carried(changed(of({}, {}, objects, policies), of({ team: 'red' }, {}, objects, policies)), {
      by: ada,
      holds: true,
    });
    expect(asked).toEqual(['ada: patch configmaps shop *', 'ada: patch configmaps bank *']);
    const onlyShop = asking((_user, right) => right.includes(' shop '));
    const seen = changed(of({}, {}, objects, policies), of({ team: 'red' }, {}, objects, policies));
    expect(
      (await withPermittedLabels(onlyShop.check, seen, withLabelAuthors(seen.object, undefined, ada))).withheld?.[0]?.message,
    ).toContain('ada may not patch ConfigMap b in bank');
  });

  it('[issue 10.1] are those of whoever is changing them, else of who is noted for them, else of the requester', async () => {
    const both = { ...noted(LABELLED_BY, 'eve'), ...noted(REQUESTED_BY, 'ben') };
    const askedOf = async (annotations: object, by?: Person) =>
      (await carried(changed(red, of({ team: 'blue' }, annotations)), { by })).asked[0];
    expect(await askedOf(both, ada)).toBe('ada: patch configmaps shop *');
    expect(await askedOf(both)).toBe('eve: patch configmaps shop *');
    expect(await askedOf(noted(REQUESTED_BY, 'ben'))).toBe('ben: patch configmaps shop *');
    const { asked, labels, withheld } = await carried(changed(red, of({ team: 'blue' })));
    expect([asked, labels]).toEqual([[], { team: 'red' }]);
    expect(withheld).toContain('changed by an unknown user');
  });

  it('[issue 10.1] are looked at no further where nothing is done for the application', async () => {
    const seen = changed(red, blue);
    const idle: readonly Observation[] = [
      { ...seen, application: { fault: 'it has no components' } },
      changed(red, { ...blue, metadata: { ...blue.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      { ...seen, trackerFaults: ['somebody edited the record'] },
      changed(red, red),
    ];
    for (const one of idle) {
      const { asked, check } = asking(() => false);
      expect([(await withPermittedLabels(check, one)) === one, asked]).toEqual([true, []]);
    }
  });
});

describe('labels that several people changed', () => {
  const notes = (lines: readonly string[], people: readonly string[] = []) => ({
    [LABELLED_NAMES.names]: lines.join('\n'),
    [LABELLED_NAMES.groups]: people.join('\n'),
  });
  const both = notes(['* root', 'labels/team eve', 'annotations/team ben', 'labels/zone eve'], ['root\tadmins', 'eve', 'ben\tqa\tops']);
  const seen = changed(of({ team: 'red', zone: 'a', tier: 'front' }), of({ team: 'blue', tier: 'back' }, { team: 'x', ...both }));

  it('[issue 10.1] are each asked about of whoever changed that one, and of who made the application where nobody did since', async () => {
    const { asked, after } = await carried(seen, { holds: true });
    expect([after === seen, [...asked].sort()]).toEqual([true, ['ben', 'eve', 'root'].map((user) => `${user}: patch configmaps shop *`)]);
  });

  it('[issue 10.1] reach the objects where the one who changed them may, and stay where the other may not', async () => {
    const { labels, annotations, after } = await carried(seen, { mighty: 'ben' });
    expect([labels, annotations]).toEqual([
      { team: 'red', zone: 'a', tier: 'front' },
      { team: 'x', ...both },
    ]);
    expect(after.withheld?.map(({ user, message }) => [user, message.split(' of ')[0]])).toEqual([
      ['eve', 'team, zone'],
      ['root', 'tier'],
    ]);
    const other = await carried(seen, { mighty: 'eve' });
    expect([other.labels, other.annotations]).toEqual([{ team: 'blue', tier: 'front' }, both]);
    expect(other.withheld).toMatch(/^team of .*changed by ben, is not .*nothing was changed; tier of .*changed by root, is not /);
  });

  it('[issue 10.1] are nobody’s where it is no longer noted who removed them, and stay', async () => {
    const gone = changed(of({ team: 'red', zone: 'a' }), of({ team: 'red' }, notes(['-', '* root'])));
    const { labels, withheld, asked } = await carried(gone, { holds: true });
    expect([labels, asked]).toEqual([{ team: 'red', zone: 'a' }, []]);
    expect(withheld).toMatch(/^zone of .*changed by an unknown user, is not .*: it is no longer noted who removed them/);
  });
});

describe('what tells that labels are others', () => {
  it('[issue 10.1] names each that was added, changed or is gone, in order, and none that reaches no object', () => {
    const now = parseApplication(of({ b: '2', d: '1', 'slipway.dev/x': '1' }, { a: '1', 'app.oam.dev/name': 'x' }));
    const namesOf = (before: Parameters<typeof labelsOf>[0]) => changedLabels(labelsOf(before), now).map(({ name }) => name);
    expect(namesOf(revisionOf(of({ b: '1', c: '1' }, { a: '1' })))).toEqual(['b', 'c', 'd']);
    expect(namesOf(undefined)).toEqual(['a', 'b', 'd']);
  });
});
