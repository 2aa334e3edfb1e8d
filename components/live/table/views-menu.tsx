'use client';

import { Bookmark, Plus, Trash2 } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { LazyDialog } from '@/components/ui/overlay/lazy/lazy-dialog';
import { lazyOnDemand } from '@/components/ui/overlay/lazy/lazy-module';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/components/ui/overlay/menu';
import { showToast } from '@/components/ui/overlay/toast';
import type { SavedView } from '@/components/ui/preferences/preferences-store';
import { usePreferenceChanges, usePreferences } from '@/components/ui/preferences/use-preferences';
import { t } from '@/lib/words/catalogue/console/views';
import { useAddress } from '../address/use-address';
import { withoutPage } from './saved-query';

const saveViewDialog = lazyOnDemand(async () => (await import('./save-view-dialog')).SaveViewDialog);

/** The saved views of the page: its filters and order under a name. The address has them, so to open one is to write it. */
export function ViewsMenu() {
  const path = usePathname();
  const { params, write } = useAddress();
  const views = usePreferences().views.filter((view) => view.path === path);
  const [isSaving, setSaving] = useState(false);
  const query = withoutPage(params);
  const shown = views.find((view) => view.query === query);
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button look="ghost" size="sm">
            <Bookmark size={14} aria-hidden className="shrink-0" />
            <span className="max-w-40 truncate">{shown?.name ?? t.views}</span>
          </Button>
        }
      >
        <MenuLabel>{views.length === 0 ? t.noSavedViewsYet : t.savedViews}</MenuLabel>
        {views.map((view) => (
          <MenuItem key={view.name} onSelect={() => write(view.query, 'push')}>
            <span className="max-w-64 truncate">{view.name}</span>
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onSelect={() => setSaving(true)}>
          <Plus size={14} aria-hidden /> {t.saveThisView}
        </MenuItem>
        {shown ? <DeleteItem view={shown} /> : null}
      </Menu>
      {isSaving ? (
        <LazyDialog part={saveViewDialog} onMissing={() => setSaving(false)}>
          {(SaveViewDialog) => <SaveViewDialog path={path} query={query} views={views} onClose={() => setSaving(false)} />}
        </LazyDialog>
      ) : null}
    </>
  );
}

function DeleteItem({ view }: { readonly view: SavedView }) {
  const { saveView, dropView } = usePreferenceChanges();
  const drop = () => {
    dropView(view);
    showToast(t.viewIsDeleted(view.name), 'good', { label: t.undo, run: () => saveView(view) });
  };
  return (
    <MenuItem onSelect={drop}>
      <Trash2 size={14} aria-hidden /> {t.deleteThisView}
    </MenuItem>
  );
}
