'use client';

import { Bookmark, Clock3, Star } from 'lucide-react';
import { usePathname } from 'next/navigation';
import type { ComponentType } from 'react';
import { parseObjectPage } from '@/components/ui/preferences/object-page';
import { usePreferences } from '@/components/ui/preferences/use-preferences';
import { t } from '@/lib/words/catalogue/console/views';
import { NAVIGATION_ITEMS } from '../navigation-items';
import { Group, Item } from './palette-parts';

/** The pages that the palette offers as kept: favourites, and those that were opened last. */
export function useSavedPages() {
  const { favourites, recents } = usePreferences();
  const here = usePathname();
  return { favourites, recent: recents.filter((path) => path !== here && !favourites.includes(path)) };
}

/** Favourites, pages that were opened last, and saved views, in the palette. */
export function SavedPages({ onGo }: { readonly onGo: (href: string) => void }) {
  const { views } = usePreferences();
  const { favourites, recent } = useSavedPages();
  return (
    <>
      <Pages heading={t.favourites} icon={Star} paths={favourites} onGo={onGo} />
      <Pages heading={t.recent} icon={Clock3} paths={recent} onGo={onGo} />
      {views.length === 0 ? null : (
        <Group heading={t.savedViews}>
          {views.map(({ path, name, query }) => (
            <Item key={`${path} ${name}`} value={`view ${name} ${path}`} onSelect={() => onGo(query === '' ? path : `${path}?${query}`)}>
              <Bookmark size={15} aria-hidden className="shrink-0 text-ink-3" />
              <span className="min-w-0 truncate">{name}</span> <span className="ml-auto shrink-0 text-ink-3 text-xs">{placeOf(path)}</span>
            </Item>
          ))}
        </Group>
      )}
    </>
  );
}

interface PagesProps {
  readonly heading: string;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean; className?: string }>;
  readonly paths: readonly string[];
  readonly onGo: (href: string) => void;
}

function Pages({ heading, icon: Icon, paths, onGo }: PagesProps) {
  const pages = paths.flatMap((path) => parseObjectPage(path) ?? []);
  if (pages.length === 0) return null;
  return (
    <Group heading={heading}>
      {pages.map(({ path, kind, ns, name }) => (
        <Item key={path} value={`${heading} ${kind} ${ns ?? ''}/${name} ${path}`} onSelect={() => onGo(path)}>
          <Icon size={15} aria-hidden className="shrink-0 text-ink-3" />
          <span className="min-w-0 truncate">
            {name} <span className="text-ink-3">{ns}</span>
          </span>{' '}
          <span className="ml-auto shrink-0 text-ink-3 text-xs">{kind}</span>
        </Item>
      ))}
    </Group>
  );
}

/** The page of the rail that a path lies below. */
function placeOf(path: string): string {
  const place = NAVIGATION_ITEMS.find(({ href }) => href !== '/' && (path === href || path.startsWith(`${href}/`)));
  return place?.label ?? path;
}
