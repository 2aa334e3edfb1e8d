import { readdirSync } from 'node:fs';
import path from 'node:path';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { ObjectHead } from '@/components/ui/object-head';
import { PageHead } from '@/components/ui/page-head';
import { parseObjectPage } from '@/components/ui/preferences/object-page';

const TURNED = '\u202etxt';
const SHOWN = '\\u202etxt';
const PAGES = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => /\[.*page\.tsx$/.test(file));

interface Page {
  readonly generateMetadata?: (props: object) => Promise<{ readonly title: string }>;
}

describe('a name that an address turns around', () => {
  it('[issue 14.1] is shown with its escape in the head of the page and on the way to it', () => {
    const { rerender } = render(<PageHead title={TURNED} breadcrumbs={[{ label: TURNED, href: '/objects' }]} />);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(SHOWN);
    expect(screen.getByRole('link')).toHaveTextContent(SHOWN);
    rerender(<ObjectHead name={TURNED} />);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(SHOWN);
  });

  it.each(PAGES)('[issue 14.1] and so in the title of the window: app/%s', async (page) => {
    const { generateMetadata } = (await import(/* @vite-ignore */ path.resolve('app', page))) as Page;
    const step = Promise.resolve({ group: TURNED, plural: TURNED, ns: TURNED, kind: TURNED, name: TURNED, other: TURNED });
    const said = (await generateMetadata?.({ params: step, searchParams: Promise.resolve({}) }))?.title ?? SHOWN;
    expect(said).toContain(SHOWN);
    expect(said).not.toContain('\u202e');
  });

  it('[issue 14.1] and so among favourites and recents', () => {
    expect(parseObjectPage(`/objects/core/configmaps/shop/${encodeURIComponent(TURNED)}`)?.name).toBe(SHOWN);
  });
});
