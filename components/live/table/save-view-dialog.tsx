'use client';

import type { FormEvent } from 'react';
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/form/field';
import { Dialog } from '@/components/ui/overlay/dialog';
import { showToast } from '@/components/ui/overlay/toast';
import type { SavedView } from '@/components/ui/preferences/preferences-store';
import { usePreferenceChanges } from '@/components/ui/preferences/use-preferences';
import { t } from '@/lib/words/catalogue/console/views';

const LONGEST = 80;

export interface SaveViewDialogProps {
  readonly path: string;
  readonly query: string;
  /** Those that the page has. */
  readonly views: readonly SavedView[];
  readonly onClose: () => void;
}

/** Asks for the name of a view and saves it. */
export function SaveViewDialog({ path, query, views, onClose }: SaveViewDialogProps) {
  const formId = useId();
  const [name, setName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const { saveView } = usePreferenceChanges();
  const save = (event: FormEvent) => {
    event.preventDefault();
    const chosen = name.trim();
    if (chosen === '') return setMissing(true);
    saveView({ path, name: chosen, query });
    showToast(t.viewIsSaved(chosen));
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t.saveView}
      description={t.saveAViewOf}
      footer={
        <Button look="primary" size="md" type="submit" form={formId}>
          {t.saveView}
        </Button>
      }
    >
      <form id={formId} onSubmit={save}>
        <TextField
          label={t.nameOfTheView}
          value={name}
          data-autofocus=""
          maxLength={LONGEST}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          hint={views.some((view) => view.name === name.trim()) ? t.replacesTheViewOfThisName : t.viewIsKeptInThisBrowser}
          error={isMissing && name.trim() === '' ? t.aViewNeedsAName : undefined}
        />
      </form>
    </Dialog>
  );
}
