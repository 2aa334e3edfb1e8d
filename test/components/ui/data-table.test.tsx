import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { DataTable } from '@/components/ui/data/data-table';
import { Panel } from '@/components/ui/panel';
import { Tabs } from '@/components/ui/tabs';

it('[design 14] numbers in cells, beside headings and on tabs are written as everywhere', () => {
  render(
    <Panel title="Objects" note={2005}>
      <Tabs label="More" tabs={[{ id: 'a', label: 'Events', count: 12_345, body: null }]} />
      <DataTable label="Rows" rows={[{ key: 'a', count: 3249 }]} columns={[{ id: 'count', head: 'Count', cell: ({ count }) => count }]} />
    </Panel>,
  );
  expect(screen.getByText('2,005')).toBeInTheDocument();
  expect(screen.getByRole('tab')).toHaveTextContent('Events12,345');
  expect(screen.getByRole('cell')).toHaveTextContent(/^3,249$/);
});
