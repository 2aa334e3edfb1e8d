import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import { useShownActs } from '@/components/ui/overlay/page-acts';
import { RELEASE_RIGHTS } from '@/lib/contract/release-rows';
import { DECISION_VERBS } from '@/lib/contract/stage-decision';
import { answerFetch, showScreen } from '@/test/support/screen';

const none = (verbs: readonly string[]) => () => Response.json(Object.fromEntries(verbs.map((verb) => [verb, null])));
const RIGHTS = {
  'GET /api/v1/namespaces/shop/rollouts/web/rights': none(DECISION_VERBS),
  'GET /api/v1/namespaces/pay/releases/ledger/rights': none(RELEASE_RIGHTS),
};
const PAGES = {
  rollout: { topic: 'rollout/shop/web', page: <RolloutScreen ns="shop" name="web" />, name: 'web' },
  release: {
    topic: 'release/pay/helmrelease/ledger',
    page: <ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />,
    name: 'ledger',
  },
};

let shown: ReturnType<typeof useShownActs> = [];
/** As the palette, it shows the acts of the page that is open. */
function Palette() {
  shown = useShownActs();
  return null;
}

it.each(['rollout', 'release'] as const)(
  '[issue 14.3] the palette has each act of a %s that its page has, and opens the same dialog',
  async (of) => {
    using _log = answerFetch(RIGHTS);
    const { topic, page, name } = PAGES[of];
    await showScreen(
      <>
        {page}
        <Palette />
      </>,
      { topics: [topic] },
    );
    const buttons = screen.getAllByRole('button').map(({ textContent }) => textContent);
    const acts = shown.filter(({ blocked }) => blocked === null);
    expect(acts.length).toBeGreaterThan(1);
    expect(shown.filter(({ verb, label }) => label !== `${verb}: ${name}` || !buttons.includes(verb))).toEqual([]);
    act(() => acts[0]?.run());
    expect(await screen.findByRole('dialog')).toHaveTextContent(name);
  },
);
