import { describe, expect, it } from 'vitest';
import { matchesQuery } from '@/components/graph/matches';

const pod = {
  id: 'Pod/shop/web-1',
  type: 'object',
  apiVersion: 'v1',
  kind: 'Pod',
  name: 'web-1',
  message: 'Ready: 0/1',
  health: 'Failed',
  counts: null,
} as const;
const deployment = { ...pod, id: 'Deployment.apps/shop/web', apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', message: '', health: 'Current' } as const;
const group = {
  ...pod,
  id: 'x+Pod+well',
  type: 'group',
  name: '40 alike',
  message: '',
  health: 'Current',
  counts: [
    { health: 'Current', count: 39 },
    { health: 'InProgress', count: 1 },
  ],
} as const;

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
    ['whatever is not well', { status: 'unwell' }, [true, false, true]],
  ] as const)('[issue 14.2] is among what the list is narrowed to by %s', (_what, query, expected) => {
    expect([pod, deployment, group].map((node) => matchesQuery(node, query))).toEqual(expected);
  });
});
