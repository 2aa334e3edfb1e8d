import { cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ActDialog } from '@/components/objects/acts/act-dialog';
import type { ActRow, ObjectActPlan } from '@/lib/contract/object-acts';
import { answerFetch, showScreen } from '@/test/support/screen';

const row = (name: string, over: Partial<ActRow> = {}): ActRow => ({
  id: `ConfigMap/shop/${name}`,
  apiVersion: 'v1',
  kind: 'ConfigMap',
  ns: 'shop',
  name,
  uid: `uid-${name}`,
  refused: null,
  consequences: [`used by 1 Pod: ${name}-pod`],
  ...over,
});
const target = ({ apiVersion, kind, name, uid }: ActRow) => ({ apiVersion, kind, ns: 'shop', name, uid });
const ROWS = [row('locked', { refused: 'operator may not do this', consequences: [] }), row('one'), row('two')];
const PLAN: ObjectActPlan = { plan: 'sha256:1', verb: 'delete', rows: ROWS, allowed: 2 };

async function open(answer: (body: Record<string, unknown>) => Response, rows = ROWS) {
  const sent: Record<string, unknown>[] = [];
  const closed: true[] = [];
  answerFetch({
    'POST /api/v1/objects/actions': (body) => {
      const asked = body as Record<string, unknown>;
      if (!asked.dryRun) sent.push(asked);
      return answer(asked);
    },
  });
  await showScreen(<ActDialog verb="delete" targets={rows.map(target)} blocked={null} onClose={() => closed.push(true)} />);
  return { sent, closed, dialog: within(screen.getByRole('dialog')) };
}

describe('the dialog of an act on objects', () => {
  afterEach(cleanup);

  it('[issue 14.1] says first what is not allowed, then what happens to each of the others, and sends exactly what it showed', async () => {
    const { sent, dialog } = await open((body) => Response.json(body.dryRun ? PLAN : { done: 2, failed: [] }));
    await dialog.findByText('1 of 3 is not deleted');
    const told = dialog.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(told).toEqual([
      expect.stringContaining('locked in shopoperator may not do this'),
      expect.stringContaining('one in shopused by 1 Pod: one-pod'),
      expect.stringContaining('two in shopused by 1 Pod: two-pod'),
    ]);
    fireEvent.click(dialog.getByRole('button', { name: 'Delete the other 2' }));
    await expect.poll(() => sent).toMatchObject([{ verb: 'delete', plan: 'sha256:1', targets: ROWS.map(target) }]);
  });

  it('[issue 14.1] stays open with the name of what was not done after all', async () => {
    const failed = [{ ...row('two'), sentence: 'it changed this moment; look again' }];
    const { closed, dialog } = await open((body) => Response.json(body.dryRun ? PLAN : { done: 1, failed }));
    fireEvent.click(await dialog.findByRole('button', { name: 'Delete the other 2' }));
    await dialog.findByText('it changed this moment; look again');
    expect(closed).toEqual([]);
  });

  it('[issue 14.1] tells what goes with one object in whole sentences', async () => {
    const only = row('one', { consequences: ['deletes 2 Pods with it: a, b', 'Service web in shop loses its last endpoint'] });
    const { dialog } = await open(() => Response.json({ ...PLAN, rows: [only], allowed: 1 }), [only]);
    const told = within(await dialog.findByRole('region', { name: 'What happens' })).getAllByRole('listitem');
    expect(told.map(({ textContent }) => textContent)).toEqual([
      'Deletes 2 Pods with it: a, b.',
      'Service web in shop loses its last endpoint.',
    ]);
  });

  it('[issue 14.1] cannot be sent while none of it is allowed, and says so', async () => {
    const { sent, dialog } = await open(() => Response.json({ ...PLAN, rows: [ROWS[0]], allowed: 0 }), [row('locked')]);
    await dialog.findByText('It is not deleted');
    const button = dialog.getByRole('button', { name: 'Delete' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(button);
    expect(sent).toEqual([]);
  });

  it('[issue 14.1] says that nothing can be foretold, and why, and foretells it once that can be read', async () => {
    let isRefused = true;
    const refusal = { error: { code: 'forbidden', message: 'requires the right "list" on pods' } };
    const { dialog } = await open(() => (isRefused ? Response.json(refusal, { status: 403 }) : Response.json(PLAN)));
    await dialog.findByText('Access denied');
    expect(dialog.getByText('The preview could not be computed.')).toBeInTheDocument();
    isRefused = false;
    fireEvent.click(dialog.getByRole('button', { name: 'Read again' }));
    await dialog.findByText('1 of 3 is not deleted');
  });
});
