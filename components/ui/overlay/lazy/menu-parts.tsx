'use client';

import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import type { MenuCheckProps, MenuChoiceProps, MenuProps } from './menu-props';
import { TriggerPlaceholder } from './trigger-placeholder';

const ITEM =
  'flex h-7 cursor-default select-none items-center gap-2 rounded-sm px-2 text-ink-2 text-sm outline-none data-[highlighted]:bg-hover data-[highlighted]:text-ink data-[disabled]:opacity-50';

interface ContentProps extends Pick<MenuProps, 'side' | 'align' | 'children'> {
  readonly trigger: HTMLElement;
  readonly triggerId: string;
  readonly id: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Opened by a key: the first entry has the focus then. */
  readonly isByKey: boolean;
}

/** What a menu shows, beside the element that opens it. */
export function Content({ trigger, triggerId, id, open, onOpenChange, isByKey, side = 'bottom', align = 'start', children }: ContentProps) {
  return (
    <Radix.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>
        <TriggerPlaceholder element={trigger} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          id={id}
          aria-labelledby={triggerId}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          ref={isByKey ? focusFirst : undefined}
          className="z-50 max-h-[min(26rem,var(--radix-dropdown-menu-content-available-height))] min-w-52 animate-appear overflow-y-auto rounded-lg bg-raised p-1 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The library focuses the first entry for keys that it has seen; the one that opened the menu came before it. */
function focusFirst(content: HTMLElement | null): void {
  if (content === null) return;
  queueMicrotask(() => content.querySelector<HTMLElement>('[role^=menuitem]:not([data-disabled])')?.focus());
}

/** One thing that a menu does. */
export function Item({ onSelect, children }: { readonly onSelect: () => void; readonly children: ReactNode }) {
  return (
    <Radix.Item className={ITEM} onSelect={onSelect}>
      {children}
    </Radix.Item>
  );
}

/** Something that is on or off; the menu stays open, so that several can be set. */
export function CheckItem({ checked, onChange, children }: MenuCheckProps) {
  return (
    <Radix.CheckboxItem className={ITEM} checked={checked} onCheckedChange={onChange} onSelect={(event) => event.preventDefault()}>
      {children}
      <Radix.ItemIndicator className="ml-auto">
        <Check size={14} aria-hidden />
      </Radix.ItemIndicator>
    </Radix.CheckboxItem>
  );
}

/** What the items below it have in common. */
export function Label({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-1 font-medium text-2xs text-ink-3">{children}</Radix.Label>;
}

/** A line between groups of a menu. */
export function Separator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}

/** One of several, with a mark at the chosen one. */
export function Choice<Value extends string>({ value, options, onChange }: MenuChoiceProps<Value>) {
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen);
    if (option) onChange(option.value);
  };
  return (
    <Radix.RadioGroup value={value} onValueChange={choose}>
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} className={ITEM}>
          {option.label}
          <Radix.ItemIndicator className="ml-auto">
            <Check size={14} aria-hidden />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}
