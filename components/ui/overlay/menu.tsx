'use client';

import { Check } from 'lucide-react';
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

const ITEM =
  'flex h-7 cursor-default select-none items-center gap-2 rounded-sm px-2 text-ink-2 text-sm outline-none data-[highlighted]:bg-hover data-[highlighted]:text-ink data-[disabled]:opacity-50';

export interface MenuProps {
  readonly trigger: ReactNode;
  readonly side?: 'top' | 'bottom' | 'right';
  readonly align?: 'start' | 'end';
  /** What it lists may be read once it is opened. */
  readonly onOpen?: () => void;
  readonly children: ReactNode;
}

/** A menu under its button. */
export function Menu({ trigger, side = 'bottom', align = 'start', onOpen, children }: MenuProps) {
  return (
    <Radix.Root modal={false} onOpenChange={(open) => open && onOpen?.()}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-[min(26rem,var(--radix-dropdown-menu-content-available-height))] min-w-52 animate-appear overflow-y-auto rounded-lg bg-raised p-1 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** One thing that a menu does. */
export function MenuItem({ onSelect, children }: { readonly onSelect: () => void; readonly children: ReactNode }) {
  return (
    <Radix.Item className={ITEM} onSelect={onSelect}>
      {children}
    </Radix.Item>
  );
}

/** Something that is on or off; the menu stays open, so that several can be set. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}) {
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
export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-1 font-medium text-2xs text-ink-3">{children}</Radix.Label>;
}

/** A line between groups of a menu. */
export function MenuSeparator() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />;
}

export interface MenuChoiceProps<Value extends string> {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChange: (value: Value) => void;
}

/** One of several, with a mark at the chosen one. */
export function MenuChoice<Value extends string>({ value, options, onChange }: MenuChoiceProps<Value>) {
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
