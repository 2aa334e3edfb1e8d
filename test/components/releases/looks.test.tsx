import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

describe('what the loops did', () => {
  it('[issue 12.4] stands on one time line: which loop, at which revision, by which rule, what it compared and what that decided', async () => {
    using _answers = answerFetch({});
    await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, { topics: ['release/pay/helmrelease/ledger'] });
    const panel = await screen.findByRole('tabpanel', { name: /^Loops/ });
    const texts = within(panel)
      .getAllByRole('listitem')
      .map((item) => item.textContent);
    expect(texts).toEqual([
      expect.stringMatching(
        /^Nothing movedthe periodic check01234567X-SYNC-53 times.*Nothing moved that the last equal dry run rested on: no dry run, nothing to do$/,
      ),
      expect.stringMatching(/^Faileda new commit01234567X-SYNC-4.*The chart changed since the last attempt: upgrade without a comparisontimed out$/),
    ]);
  });
});
