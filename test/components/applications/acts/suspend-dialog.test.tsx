import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import type { SuspendDialogProps } from '@/components/applications/acts/suspend-dialog';
import { SuspendDialog } from '@/components/applications/acts/suspend-dialog';
import { Toaster } from '@/components/ui/overlay/toast';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { answerFetch, showScreen } from '@/test/support/screen';

const ACTS = '/api/v1/namespaces/shop/applications/web/actions';
const accepted = () => Response.json({ accepted: { kind: 'Application', ns: 'shop', name: 'web', uid: 'app-uid' } }, { status: 202 });
const refused = () => Response.json({ error: { code: 'forbidden', message: 'operator may not do this' } }, { status: 403 });

/** The dialog as the page holds it: gone once the act was taken. */
function Held(props: Omit<SuspendDialogProps, 'blocked' | 'onClose'>) {
  const [isOpen, setOpen] = useState(true);
  return isOpen ? <SuspendDialog {...props} blocked={null} onClose={() => setOpen(false)} /> : null;
}

async function send(verb: 'suspend' | 'resume', annotation: string | null, answer: (sent: number) => Response) {
  let sent = 0;
  const log = answerFetch({ [`POST ${ACTS}`]: () => answer(++sent) });
  const suspended = annotation === null ? null : { annotation, by: 'operator', at: null, reason: null };
  await showScreen(
    <>
      <Held verb={verb} application={{ ns: 'shop', name: 'web', uid: 'app-uid', suspended }} />
      <Toaster />
    </>,
  );
  const user = userEvent.setup();
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: verb === 'suspend' ? 'Suspend' : 'Resume' }));
  return { log, user, bodies: () => log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body) };
}

const undo = () => screen.findByRole('button', { name: 'Undo' });
const notices = () => screen.getByRole('status', { name: 'Notifications' });

describe('the notice after a suspension', () => {
  it('[issue 14.3] undoes it with the opposite act on the same application', async () => {
    const { log, user, bodies } = await send('suspend', null, accepted);
    using _log = log;
    await user.click(await undo());
    await expect.poll(bodies).toEqual([
      { verb: 'suspend', uid: 'app-uid' },
      { verb: 'resume', uid: 'app-uid' },
    ]);
    await expect.poll(() => notices().textContent).toContain('web is resumed.');
  });

  it('[issue 14.3] says why it was not undone', async () => {
    const { log, user } = await send('suspend', null, (sent) => (sent === 1 ? accepted() : refused()));
    using _log = log;
    await user.click(await undo());
    await expect.poll(() => notices().textContent).toContain('operator may not do this');
    expect(notices()).not.toHaveTextContent('web is resumed.');
  });

  it.each([
    ['undoes our own resumption', SUSPENDED, 1],
    ['offers to undo nothing where the annotation was of another program', 'other.example/paused', 0],
  ])('[issue 14.3] %s', async (_what, annotation, offered) => {
    const { log } = await send('resume', annotation, accepted);
    using _log = log;
    await expect.poll(() => notices().textContent).toContain('web is resumed.');
    expect(screen.queryAllByRole('button', { name: 'Undo' })).toHaveLength(offered);
  });
});
