import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { generateMetadata as editTitle } from '@/app/(console)/objects/[group]/[plural]/[ns]/[name]/edit/page';
import { generateMetadata as objectTitle } from '@/app/(console)/objects/[group]/[plural]/[ns]/[name]/page';
import { generateMetadata as kindTitle } from '@/app/(console)/objects/[group]/[plural]/page';
import { parseObjectPage } from '@/components/ui/kept/object-page';
import { ObjectHead } from '@/components/ui/object-head';
import { PageHead } from '@/components/ui/page-head';

const TURNED = '\u202etxt';
const SHOWN = '\\u202etxt';

describe('a name that an address turns around', () => {
  it('[issue 14.1] is shown with its escape in the head of the page and on the way to it', () => {
    const { rerender } = render(<PageHead title={TURNED} trail={[{ label: TURNED, href: '/objects' }]} />);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(SHOWN);
    expect(screen.getByRole('link')).toHaveTextContent(SHOWN);
    rerender(<ObjectHead name={TURNED} />);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(SHOWN);
  });

  it('[issue 14.1] and so in the title of the window, and among favourites and recents', async () => {
    const name = encodeURIComponent(TURNED);
    const params = Promise.resolve({ group: 'core', plural: name, ns: 'shop', name });
    const props = { params, searchParams: Promise.resolve({}) };
    const titles = [await kindTitle(props), await objectTitle(props), await editTitle(props)];
    expect(titles.map(({ title }) => title)).toEqual([SHOWN, SHOWN, `Edit ${SHOWN}`]);
    expect(parseObjectPage(`/objects/core/configmaps/shop/${name}`)?.name).toBe(SHOWN);
  });
});
