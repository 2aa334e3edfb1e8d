'use client';

import { FileCode2, RotateCw, Scaling, Trash2 } from 'lucide-react';
import type { ComponentType } from 'react';
import { useCallback, useState } from 'react';
import { useNavigate } from '@/components/live/navigate';
import { useStaleness } from '@/components/live/staleness';
import { Button } from '@/components/ui/button';
import { usePageActs } from '@/components/ui/overlay/page-acts';
import type { ActTarget, ObjectRights, ObjectVerb } from '@/lib/contract/object-acts';
import { OBJECT_VERBS } from '@/lib/contract/object-acts';
import { t } from '@/lib/words/catalogue/objects/acts';
import { formatActOn, formatVerb } from '@/lib/words/format-act';
import { ActDialog } from './act-dialog';

const ICONS: Readonly<Record<ObjectVerb, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  restart: RotateCw,
  scale: Scaling,
  delete: Trash2,
};

export interface ActButtonsProps {
  readonly targets: readonly ActTarget[];
  /** Why one is not possible, as far as that is known before it is asked for. */
  readonly rights: ObjectRights | undefined;
  /** Why none is possible. */
  readonly blocked: string | null;
  readonly size?: 'sm' | 'md';
  /** Where it is edited; absent of several. */
  readonly edit?: string;
}

/** What can be done to an object, or to those that are selected: always the same buttons in the same places, and each says why where it is not possible. */
export function ActButtons({ targets, rights, blocked, size = 'md', edit }: ActButtonsProps) {
  const [opened, setOpened] = useState<{ readonly verb: ObjectVerb; readonly targets: readonly ActTarget[] } | null>(null);
  const staleness = useStaleness(undefined);
  const away = staleness === null ? null : t.actsWait(staleness.reason);
  const close = useCallback(() => setOpened(null), []);
  const acts = OBJECT_VERBS.map((verb) => ({
    verb,
    blocked: away ?? blocked ?? rights?.[verb] ?? null,
    open: () => setOpened({ verb, targets }),
  }));
  const navigate = useNavigate();
  const [target] = targets;
  const noEdit = away ?? blocked ?? rights?.edit ?? null;
  const editAct =
    edit && target
      ? [{ id: 'edit', verb: t.edit, label: t.editOf(target.kind, target.name), blocked: noEdit, run: () => navigate(edit) }]
      : [];
  const named = acts.map(({ verb, blocked: why, open }) => ({
    id: verb,
    verb: formatVerb(verb),
    label: formatActOn(verb, targets),
    blocked: why,
    run: open,
  }));
  usePageActs(target === undefined ? [] : [...editAct, ...named]);
  return (
    <fieldset className="flex flex-wrap items-center gap-2" aria-label={t.actions}>
      {edit === undefined ? null : (
        <Button size={size} blocked={noEdit} onClick={() => navigate(edit)}>
          <FileCode2 size={13} aria-hidden /> {t.edit}
        </Button>
      )}
      {acts.map(({ verb, blocked: why, open }) => {
        const Icon = ICONS[verb];
        return (
          <Button key={verb} size={size} look={verb === 'delete' ? 'warning' : 'secondary'} blocked={why} onClick={open}>
            <Icon size={13} aria-hidden /> {formatVerb(verb)}
          </Button>
        );
      })}
      {opened ? <ActDialog verb={opened.verb} targets={opened.targets} blocked={away} onClose={close} /> : null}
    </fieldset>
  );
}
