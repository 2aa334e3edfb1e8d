'use client';

import { ChevronsUpDown, CircleUser, ExternalLink, KeyRound, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import { useNavigate } from '@/components/live/navigate';
import { postJson } from '@/components/live/request';
import { signOut } from '@/components/live/session/sign-out';
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/overlay/menu';
import { showToast } from '@/components/ui/overlay/toast';
import { useZone } from '@/components/ui/time/zone';
import { messageOf } from '@/lib/contract/app-error';
import type { SessionView } from '@/lib/contract/requests';
import { t } from '@/lib/words/catalogue/console/shell';
import type { Theme } from './theme';
import { applyTheme } from './theme';

const ROLES = ['viewer', 'operator', 'approver'] as const;
const linkAnswer = z.object({ url: z.string() });

const THEME_OPTIONS = [
  { value: 'system', label: <ThemeLabel icon={Monitor} text={t.system} /> },
  { value: 'light', label: <ThemeLabel icon={Sun} text={t.light} /> },
  { value: 'dark', label: <ThemeLabel icon={Moon} text={t.dark} /> },
] as const;

export interface SessionMenuProps {
  readonly session: SessionView;
  readonly theme: Theme;
  readonly compact?: boolean;
}

/** Who is signed in, how the page looks, and the way out; on the demonstration also the page through the eyes of another role. */
export function SessionMenu({ session, theme, compact = false }: SessionMenuProps) {
  const [chosen, setChosen] = useState(theme);
  const zone = useZone();
  const navigate = useNavigate();
  const choose = (next: Theme) => {
    applyTheme(next);
    setChosen(next);
  };
  return (
    <Menu side={compact ? 'bottom' : 'top'} align={compact ? 'end' : 'start'} trigger={<Trigger session={session} compact={compact} />}>
      <MenuLabel>{t.signedInAs(session.user)}</MenuLabel>
      {session.groups.map((group) => (
        <p key={group} className="truncate px-2 pb-1 text-ink-3 text-xs">
          {group}
        </p>
      ))}
      {session.leftOut === undefined || session.leftOut.length === 0 ? null : (
        <>
          <p className="px-2 pb-1 text-ink-3 text-xs">{t.ignoredBecauseTheServerMay}</p>
          <ul aria-label={t.groupsLeftOut}>
            {session.leftOut.map((group) => (
              <li key={group} className="truncate px-2 pb-1 text-ink-3 text-xs line-through">
                {group}
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="px-2 pb-1 text-ink-3 text-xs">{t.timesIn(zone)}</p>
      <MenuSeparator />
      <MenuChoice value={chosen} options={THEME_OPTIONS} onChange={choose} />
      {session.mayInvite ? (
        <>
          <MenuSeparator />
          <MenuLabel>{t.viewTheDemonstrationAsAnother}</MenuLabel>
          {ROLES.map((role) => (
            <MenuItem key={role} onSelect={() => void openAs(role)}>
              <ExternalLink size={14} aria-hidden /> {t.openAs(role)}
            </MenuItem>
          ))}
        </>
      ) : null}
      <MenuSeparator />
      <MenuItem onSelect={() => navigate('/sessions')}>
        <KeyRound size={14} aria-hidden /> {t.sessions}
      </MenuItem>
      <MenuItem onSelect={() => void signOut()}>
        <LogOut size={14} aria-hidden /> {t.signOut}
      </MenuItem>
    </Menu>
  );
}

async function openAs(role: (typeof ROLES)[number]): Promise<void> {
  try {
    const { url } = await postJson('/api/v1/session/links', { role }, linkAnswer);
    await navigator.clipboard?.writeText(url).catch(() => undefined); // without the clipboard's permission the toast still shows the address
    showToast(t.openThisInAPrivate(role, url));
  } catch (error) {
    showToast(messageOf(error), 'bad');
  }
}

function Trigger({ session, compact, ...rest }: { readonly session: SessionView; readonly compact: boolean }) {
  if (compact) {
    return (
      <button
        {...rest}
        type="button"
        aria-label={t.signedInAs(session.user)}
        className="inline-flex size-9 items-center justify-center rounded-md text-ink-2 hover:bg-hover"
      >
        <CircleUser size={18} aria-hidden />
      </button>
    );
  }
  return (
    <button
      {...rest}
      type="button"
      aria-label={t.signedInAs(session.user)}
      className="flex h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-left hover:bg-hover lg:px-2"
    >
      <CircleUser size={16} aria-hidden className="shrink-0 text-ink-3" />
      <span className="hidden min-w-0 flex-1 truncate font-medium lg:block">{session.user}</span>
      <ChevronsUpDown size={13} aria-hidden className="hidden text-ink-3 lg:block" />
    </button>
  );
}

function ThemeLabel({ icon: Icon, text }: { readonly icon: typeof Sun; readonly text: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <Icon size={14} aria-hidden /> {text}
    </span>
  );
}
