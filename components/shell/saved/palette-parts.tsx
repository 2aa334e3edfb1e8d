import { Command } from 'cmdk';
import type { ReactNode } from 'react';
import { createContext, useContext } from 'react';

const Typed = createContext('');

/** Tells the entries within what was typed: each shows itself where it answers to that. */
export const TypedProvider = Typed.Provider;

/** Whether every word that was typed is part of the value of an entry. */
function answersTo(value: string, typed: string): boolean {
  const held = value.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => held.includes(word));
}

/** Whether a word that was typed begins one of the verb of an act; also while nothing is typed. */
function namesVerb(verb: string, typed: string): boolean {
  const words = verb.toLowerCase().split(/\s+/);
  return typed
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .some((word) => words.some((one) => one.startsWith(word)));
}

/** Entries of the palette under a heading, which goes with the last of them. */
export function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="not-has-[[cmdk-item]]:hidden [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  /** Whose words it is found by. */
  readonly value: string;
  /** Of an act, what is done: without a word of it, the object is looked for and not the act. */
  readonly verb?: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

/** One entry of the palette. */
export function Item({ value, verb, onSelect, children }: ItemProps) {
  const typed = useContext(Typed);
  if (!answersTo(value, typed) || (verb !== undefined && !namesVerb(verb, typed))) return null;
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 text-sm data-[selected=true]:bg-hover"
    >
      {children}
    </Command.Item>
  );
}
