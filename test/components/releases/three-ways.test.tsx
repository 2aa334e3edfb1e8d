import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
const row = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  ns: 'pay',
  head: 'same',
  headDiff: [],
  live: 'same',
  why: null,
  first: null,
  fields: 0,
  by: null,
  liveDiff: [],
};
const differs = { live: 'differs', first: 'data.text', fields: 3, by: 'kubectl-edit', liveDiff: [{ sign: '+', text: 'text: by hand' }] };
const told = {
  stored: 4,
  head: { revision: 'ab'.repeat(20), why: null },
  values: [],
  valuesDiffer: false,
  hidesValues: false,
  objects: [
    { ...row, name: 'a', ...differs, head: 'changed', headDiff: [{ sign: '+', text: 'text: from git' }] },
    { ...row, name: 'b' },
    { ...row, name: 'c', live: 'hidden', headDiff: null, liveDiff: null },
  ],
};

async function open(answer: unknown) {
  const log = answerFetch({ [`GET ${RELEASE}/three-way`]: () => Response.json(answer) });
  await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
    topics: ['release/pay/helmrelease/ledger'],
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('tab', { name: 'Three-way' }));
  return { log, user, panel: await screen.findByRole('tabpanel') };
}

describe('a release seen three ways', () => {
  it('[issue 12.4] tells of each object how it is at the head and live, with the first difference and who set it, and both differences when asked', async () => {
    const { log, user, panel } = await open(told);
    using _answers = log;
    const list = await within(panel).findByRole('list', { name: 'Three-way comparison of objects' });
    const texts = within(list)
      .getAllByRole('listitem')
      .map((item) => item.textContent);
    expect(texts).toEqual([
      'ConfigMap a in payHeadChangedLiveDiffersShowLive differs first in data.text, and in 2 more fields, set by kubectl-edit',
      'ConfigMap b in payHeadSameLiveAs released',
      'ConfigMap c in payHeadSameLiveNo access',
    ]);
    expect(panel).toHaveTextContent('Chart at abababab, stored revision 4, live now: 1 of 3 objects differ, 1 not fully compared.');
    await user.click(within(list).getByRole('button', { name: 'Differences of ConfigMap a' }));
    expect(within(list).getByText('text: from git')).toBeVisible();
    expect(within(list).getByText('text: by hand')).toBeVisible();
  });

  it('[issue 12.3] says why the chart was not rendered, and shows what is known', async () => {
    const objects = [{ ...row, name: 'b', head: 'unknown' }];
    const { log, panel } = await open({
      ...told,
      head: { revision: null, why: 'Helm is neither on the PATH nor in .tools: npm run helm' },
      objects,
    });
    using _answers = log;
    expect(
      await within(panel).findByText('The chart was not rendered: Helm is neither on the PATH nor in .tools: npm run helm'),
    ).toBeVisible();
    expect(panel).toHaveTextContent('ConfigMap b in payHeadNot renderedLiveAs released');
    expect(panel).toHaveTextContent('live now: 0 of 1 object differs, 1 not fully compared.');
  });
});
