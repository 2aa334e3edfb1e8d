import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ObjectDrawer } from '@/components/applications/object-drawer';
import type { TreeNode } from '@/lib/contract/tree-rows';
import { answerFetch, showScreen } from '@/test/support/screen';

const NODE: TreeNode = {
  id: 'one',
  parent: null,
  apiVersion: 'water.example.com/v1',
  kind: 'Pump',
  ns: 'shop',
  name: 'north',
  uid: 'u1',
  health: 'Failed',
  message: 'Pump is dry: no water',
  rule: 'kind rule water.example.com/Pump row "dry" of rules.yaml',
  origin: 'recorded',
  component: null,
  revision: null,
  createdAt: null,
  known: { source: 'watch', at: null },
};

const show = (node: TreeNode) =>
  showScreen(<ObjectDrawer node={node} owners={[]} onOpen={() => undefined} onClose={() => undefined} />, { topics: [] });

it('[issue 9] says of an object what rule told its status', async () => {
  using _log = answerFetch({});
  await show(NODE);
  expect(await screen.findByText('Status by kind rule water.example.com/Pump row "dry" of rules.yaml')).toBeVisible();
});

it('[issue 9] says nothing of a rule where none was asked', async () => {
  using _log = answerFetch({});
  const { rule: _none, ...node } = NODE;
  await show(node);
  expect(await screen.findByText('Pump is dry: no water')).toBeVisible();
  expect(screen.queryByText(/Status by/)).toBeNull();
});
