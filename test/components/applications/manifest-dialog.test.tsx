import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { EditDialog } from '@/components/applications/manifest-dialog';
import { answerFetch, showScreen } from '@/test/support/screen';

const MANIFEST = 'GET /api/namespaces/shop/applications/storefront/manifest';
const manifest = (masked: boolean) => () => Response.json({ manifest: 'kind: Application\n', masked });
const changes = [{ id: 'Deployment web-v5 in shop', verdict: 'new', why: 'revision storefront-v5 makes it' }];

describe('an application as text', () => {
  it('[design 1] is applied only as it was previewed: another letter asks for another preview', async () => {
    let answered = 0;
    using log = answerFetch({
      [MANIFEST]: manifest(false),
      'POST /api/applications': () =>
        Response.json(answered++ < 2 ? { changes } : { accepted: { kind: 'Application', ns: 'shop', name: 'storefront', uid: null } }),
    });
    await showScreen(<EditDialog ns="shop" name="storefront" onClose={() => {}} />);
    const text = await screen.findByRole('textbox', { name: 'Manifest' });
    const apply = screen.getByRole('button', { name: 'Apply' });
    expect(apply).toHaveAccessibleDescription('Preview this text first.');
    await userEvent.click(screen.getByRole('button', { name: 'Preview' }));
    expect(await screen.findByText('Deployment web-v5 in shop')).toBeInTheDocument();
    await userEvent.type(text, '# why');
    expect(screen.queryByText('Deployment web-v5 in shop')).toBeNull();
    expect(screen.getByRole('button', { name: 'Apply' })).toHaveAttribute('aria-disabled', 'true');
    await userEvent.click(screen.getByRole('button', { name: 'Preview' }));
    await screen.findByText('Deployment web-v5 in shop');
    await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
    expect(log.sent.filter((request) => request.method === 'POST').map((request) => request.body)).toEqual([
      { manifest: 'kind: Application\n', dryRun: true },
      { manifest: 'kind: Application\n# why', dryRun: true },
      { manifest: 'kind: Application\n# why' },
    ]);
  });

  it('[design 8] that holds values of Secrets is not offered for editing', async () => {
    using _log = answerFetch({ [MANIFEST]: manifest(true) });
    await showScreen(<EditDialog ns="shop" name="storefront" onClose={() => {}} />);
    expect(await within(screen.getByRole('dialog')).findByRole('alert')).toHaveTextContent('values of Secrets');
    expect(screen.queryByRole('textbox')).toBeNull();
  });
});
