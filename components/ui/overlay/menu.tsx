'use client';

import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import { cloneElement, useId, useState } from 'react';
import { lazyWhenIdle, loadNow, useLazyModule } from './lazy/lazy-module';
import type { MenuCheckProps, MenuChoiceProps, MenuProps } from './lazy/menu-props';

// The library of menus comes once somebody reaches for one; its trigger is ours, so that no press is lost and nothing is put in its place.
const menuParts = lazyWhenIdle(() => import('./lazy/menu-parts'));
const CLOSED = { wants: false, isByKey: false, wasOpened: false };
const OPENS: ReadonlySet<string> = new Set(['Enter', ' ', 'ArrowDown']);

/** A menu under its button. */
export function Menu({ trigger, onOpen, children, ...place }: MenuProps) {
  const id = useId();
  const parts = useLazyModule(menuParts);
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [{ wants, isByKey, wasOpened }, setState] = useState(CLOSED);
  const open = wants && parts !== undefined;
  const want = (next: boolean, byKey = false) => {
    setState({ wants: next, isByKey: byKey, wasOpened: true });
    if (!next) return;
    loadNow(menuParts, () => setState(CLOSED));
    onOpen?.();
  };
  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || event.ctrlKey) return;
    // The focus goes into the menu; the button would take it first.
    if (!wants) event.preventDefault();
    want(!wants);
  };
  const pressKey = (event: KeyboardEvent<HTMLElement>) => {
    if (!OPENS.has(event.key)) return;
    event.preventDefault();
    want(event.key === 'ArrowDown' || !wants, true);
  };
  return (
    <>
      {cloneElement(trigger, {
        id: `${id}trigger`,
        ref: setElement,
        'aria-haspopup': 'menu',
        'aria-expanded': open,
        'aria-controls': open ? `${id}menu` : undefined,
        onPointerEnter: () => void menuParts.load().catch(() => undefined), // a press says what is wrong
        onPointerDown: press,
        onKeyDown: pressKey,
      })}
      {parts !== undefined && element !== null && wasOpened ? (
        <parts.Content
          {...place}
          id={`${id}menu`}
          trigger={element}
          triggerId={`${id}trigger`}
          open={open}
          onOpenChange={(next) => want(next)}
          isByKey={isByKey}
        >
          {children}
        </parts.Content>
      ) : null}
    </>
  );
}

/** One thing that a menu does. */
export function MenuItem(props: { readonly onSelect: () => void; readonly children: ReactNode }) {
  const parts = useLazyModule(menuParts);
  return parts ? <parts.Item {...props} /> : null;
}

/** Something that is on or off; the menu stays open, so that several can be set. */
export function MenuCheck(props: MenuCheckProps) {
  const parts = useLazyModule(menuParts);
  return parts ? <parts.CheckItem {...props} /> : null;
}

/** What the items below it have in common. */
export function MenuLabel(props: { readonly children: ReactNode }) {
  const parts = useLazyModule(menuParts);
  return parts ? <parts.Label {...props} /> : null;
}

/** A line between groups of a menu. */
export function MenuSeparator() {
  const parts = useLazyModule(menuParts);
  return parts ? <parts.Separator /> : null;
}

/** One of several, with a mark at the chosen one. */
export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const parts = useLazyModule(menuParts);
  return parts ? <parts.Choice {...props} /> : null;
}
