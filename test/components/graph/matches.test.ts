import { describe, expect, it } from 'vitest';
import { matcherOf } from '@/components/graph/matches';

const pod = {
  id: 'Pod/shop/web-1',
  type: 'object',
  apiVersion: 'v1',
  kind: 'Pod',
  name: 'web-1',
  message: 'Ready: 0/1',
  health: 'Failed',
  counts: null,
  ns: 'shop',
  marks: [{ labels: { app: 'web' }, owner: 'ReplicaSet/shop/web-1' }],
} as const;
const deployment = {
  ...pod,
  id: 'Deployment.apps/shop/web',
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'web',
  message: '',
  health: 'Current',
  ns: 'pay',
  marks: [],
} as const;
const group = {
  ...pod,
  id: 'x+Pod+well',
  type: 'group',
  ns: null,
  marks: [
    { labels: { app: 'web', tier: 'front' }, owner: null },
    { labels: { app: 'db' }, owner: 'StatefulSet/shop/db' },
  ],
  name: '40 alike',
  message: '',
  health: 'Current',
  counts: [
    { health: 'Current', count: 39 },
    { health: 'InProgress', count: 1 },
  ],
} as const;

describe('a group whose members differ too much to tell', () => {
  it('[issue 14.3] is among what is filtered by labels, since one of them may be', () => {
    expect(matcherOf({ labels: 'app=web' })({ ...group, marks: null })).toBe(true);
  });
});

describe('a node of the graph', () => {
  it.each([
    ['nothing', {}, [true, true, true]],
    ['a text of its name', { q: 'WEB-1' }, [true, false, false]],
    ['a text of its message', { q: '0/1' }, [true, false, false]],
    ['the kind of a group', { q: 'pod' }, [true, false, true]],
    ['a kind', { kind: 'Pod' }, [true, false, true]],
    ['a kind of a group of the API', { kind: 'Deployment.apps' }, [false, true, false]],
    ['a status', { status: 'Failed' }, [true, false, false]],
    ['a status of one in a group', { status: 'InProgress' }, [false, false, true]],
    ['a namespace, of which a group of several may have members', { ns: ['shop'] }, [true, false, true]],
    ['a label, of one in a group too', { labels: 'app=web' }, [true, false, true]],
    ['a label and another', { labels: 'app,tier=front' }, [false, false, true]],
    ['an owner', { owner: ['StatefulSet/shop/db'] }, [false, false, true]],
    ['a kind of owner', { owner: ['ReplicaSet'] }, [true, false, false]],
    ['no owner', { owner: ['none'] }, [false, false, true]],
    ['whatever is not well', { status: 'unwell' }, [true, false, true]],
  ] as const)('[issue 14.2] is among what the list is narrowed to by %s', (_what, query, expected) => {
    expect([pod, deployment, group].map(matcherOf(query))).toEqual(expected);
  });
});
