import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
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

const show = (node: TreeNode, tab: string | null = null, onTab: (tab: string | null) => void = () => undefined) =>
  showScreen(<ObjectDrawer node={node} owners={[]} tab={tab} onTab={onTab} onOpen={() => undefined} onClose={() => undefined} />, {
    topics: [],
  });

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

it('[issue 14.3] opens the tab that the address names, and tells which one is opened', async () => {
  const answer = { manifest: 'kind: Pump', conditions: [], events: [], left: [] };
  using _log = answerFetch({ 'GET /api/v1/objects': () => Response.json(answer) });
  const opened: (string | null)[] = [];
  await show(NODE, 'manifest', (tab) => opened.push(tab));
  expect(await screen.findByRole('tab', { name: 'Manifest', selected: true })).toBeVisible();
  await userEvent.click(screen.getByRole('tab', { name: /^Events/ }));
  await userEvent.click(screen.getByRole('tab', { name: /^Conditions/ }));
  expect(opened).toEqual(['events', null]);
});

it('[issue 14.1] says that the manifest is read from the cluster only once it is', async () => {
  const refusal = { error: { code: 'forbidden', message: 'requires the right "get" on pumps' } };
  using log = answerFetch({ 'GET /api/v1/objects': () => Response.json(refusal, { status: 403 }) });
  const refused = await show(NODE);
  await screen.findByText('Access denied');
  expect(screen.getByText('Status from a live watch.')).toBeVisible();
  refused.close();
  log[Symbol.dispose]();
  using _log = answerFetch({
    'GET /api/v1/objects': () => Response.json({ manifest: 'kind: Pump', conditions: [], events: [], left: [] }),
  });
  await show(NODE);
  expect(await screen.findByText(/the manifest below is read from the cluster now/)).toBeVisible();
});
