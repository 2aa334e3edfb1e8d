import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { UndeclaredReleases } from '@/components/releases/undeclared-releases';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const storedAt = backFrom(SCREEN_NOW)(3600);
const byHand = { ns: 'pay', name: 'by-hand', revision: 2, status: 'deployed', storedAt, storage: 'secrets' };
const old = { ns: 'pay', name: 'old', revision: 10, status: 'failed', storedAt, storage: 'configmaps' };

describe('releases that no resource declares', () => {
  it('[issue 12.1] are shown with where Helm keeps them, and that there may be others', async () => {
    using _answers = answerFetch({ 'GET /api/v1/undeclared-releases': () => Response.json({ releases: [byHand, old], why: 'configmaps is forbidden' }) });
    await showScreen(<UndeclaredReleases ns={undefined} />, { topics: [] });
    const lines = await screen.findAllByRole('listitem');
    expect(lines.map((line) => line.textContent)).toEqual([
      expect.stringMatching(/^by-hand paydeployedrevision 2/),
      expect.stringMatching(/^old payfailedrevision 10kept in ConfigMaps, which are not read/),
    ]);
    expect(screen.getByText('There may be others: configmaps is forbidden')).toBeVisible();
  });

  it('[issue 12.1] are asked for in the namespace that is shown, and nothing is said where there are none', async () => {
    using answers = answerFetch({ 'GET /api/v1/undeclared-releases': () => Response.json({ releases: [], why: null }) });
    await showScreen(<UndeclaredReleases ns="pay" />, { topics: [] });
    await waitFor(() => expect(answers.sent.map(({ url }) => url)).toEqual(['/api/v1/undeclared-releases?ns=pay']));
    expect(screen.queryByText(/Not declared/)).toBeNull();
  });
});
