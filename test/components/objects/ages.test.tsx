import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { PodsPanel } from '@/components/objects/pods/pods-panel';
import { TableScreen } from '@/components/objects/table-screen';
import { POD_PAGE, POD_TABLE } from '@/test/support/fixture/objects';
import { answerFetch, showScreen } from '@/test/support/screen';

const at = { group: 'apps', named: 'deployments', ns: 'shop', name: 'web' } as const;

it.each([
  ['pods', <PodsPanel key="s" at={at} isExpected />, 'Pods'],
  ['objects of a kind', <TableScreen key="s" group="" named="pods" />, 'Pod'],
])('[issue 14.1] the table of %s says under "Age" how old each is, not how long ago', async (_what, element, name) => {
  using _log = answerFetch({
    'GET /api/v1/kinds/apps/deployments/pods': () => Response.json(POD_PAGE),
    'GET /api/v1/kinds/core/pods/table': () => Response.json(POD_TABLE),
  });
  await showScreen(element);
  const table = await screen.findByRole('table', { name });
  const column = within(table)
    .getAllByRole('columnheader')
    .findIndex(({ textContent }) => textContent === 'Age');
  const [, row] = within(table).getAllByRole('row');
  expect(within(row as HTMLElement).getAllByRole('cell')[column]?.textContent).toMatch(/^\d+[smhd]$/);
});
