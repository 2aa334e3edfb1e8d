import { describe, expect, it } from 'vitest';
import type { StatusListener } from '@/server/status/live/roots';
import { differsInItself, sentenceOf, WatchedSets } from '@/server/status/live/watched-sets';
import type { ResourceStatus } from '@/server/status/resource-status';

const FLAGS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'flags' };
const STAFF = { apiVersion: 'rbac.test/v1', kind: 'ClusterRole', name: 'staff' };

function aStatus(change: Partial<ResourceStatus> = {}): ResourceStatus {
  const identifier = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'flags' };
  return { identifier, status: 'Current', message: 'is there', generated: [], ...change };
}

/** Sets on a source of statuses that writes down what is wanted of it. */
function someSets() {
  const wanted: string[] = [];
  const listeners: StatusListener[] = [];
  const told: unknown[][] = [];
  const sets = new WatchedSets(
    {
      subscribe(listener) {
        const own = `#${listeners.push(listener)}`;
        return {
          set: (objects) => {
            const named = [...objects].map(
              (object) => `${object.apiVersion}|${object.group}|${object.kind}|${object.namespace}|${object.name}`,
            );
            wanted.push(`${own} ${named.join(' ')}`);
          },
          release: () => void wanted.push(`${own} released`),
        };
      },
    },
    (...args) => void told.push(args),
  );
  return { sets, listeners, told, wanted: () => wanted.splice(0) };
}

describe('sets of watched objects', () => {
  it('[issue 10.7] watches what a set names, each set by one subscription that says which set it is', () => {
    const { sets, listeners, told, wanted } = someSets();
    sets.set('shop', [FLAGS, STAFF]);
    sets.set('till', [FLAGS]);
    sets.set('shop', [STAFF]);
    expect(wanted()).toEqual([
      '#1 v1||ConfigMap|shop|flags rbac.test/v1|rbac.test|ClusterRole||staff',
      '#2 v1||ConfigMap|shop|flags',
      '#1 rbac.test/v1|rbac.test|ClusterRole||staff',
    ]);
    const [now, before] = [aStatus(), aStatus({ status: 'Failed' })];
    listeners[1]?.(now, before);
    expect(told).toEqual([['till', now, before]]);
  });

  it('[issue 10.7] leaves a set as it is while its token is the same', () => {
    const { sets, wanted } = someSets();
    const token = {};
    sets.set('shop', [FLAGS], token);
    sets.set('shop', [STAFF], token);
    expect(wanted()).toEqual(['#1 v1||ConfigMap|shop|flags']);
    sets.set('shop', [STAFF], {});
    expect(wanted()).toEqual(['#1 rbac.test/v1|rbac.test|ClusterRole||staff']);
    sets.set('shop', [FLAGS], token);
    expect(wanted()).toEqual(['#1 v1||ConfigMap|shop|flags']);
  });

  it('[issue 10.7] ends a set that has become empty, and begins it anew with its next object', () => {
    const { sets, wanted } = someSets();
    sets.set('none', []);
    expect(wanted()).toEqual([]);
    sets.set('shop', [FLAGS]);
    sets.set('shop', []);
    sets.set('shop', []);
    sets.set('shop', [FLAGS]);
    expect(wanted()).toEqual(['#1 v1||ConfigMap|shop|flags', '#1 released', '#2 v1||ConfigMap|shop|flags']);
  });

  it('[issue 10.7] ends all of them at the end, each once', () => {
    const { sets, wanted } = someSets();
    sets.set('shop', [FLAGS]);
    sets.set('till', [FLAGS]);
    wanted();
    sets.release();
    sets.release();
    expect(wanted()).toEqual(['#1 released', '#2 released']);
  });
});

describe('what is told of an object in one line', () => {
  it.each([
    { status: aStatus(), sentence: 'is there' },
    { status: aStatus({ error: { kind: 'transport', text: 'the watch is lost' } }), sentence: 'the watch is lost' },
  ])('[issue 10.7] is $sentence', ({ status, sentence }) => {
    expect(sentenceOf(status)).toBe(sentence);
  });

  it.each([
    { what: 'is new', before: undefined, differs: true },
    { what: 'is the same', before: aStatus(), differs: false },
    { what: 'has another status', before: aStatus({ status: 'InProgress' }), differs: true },
    { what: 'has another sentence', before: aStatus({ message: 'was there' }), differs: true },
    { what: 'has another child only', before: aStatus({ generated: [aStatus()] }), differs: false },
  ])('[issue 10.7] tells whether it differs in itself: it $what', ({ before, differs }) => {
    expect(differsInItself(aStatus(), before)).toBe(differs);
  });
});
