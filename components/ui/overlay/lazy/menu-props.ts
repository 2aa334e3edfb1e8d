import type { HTMLAttributes, ReactElement, ReactNode, Ref } from 'react';

interface TriggerProps extends HTMLAttributes<HTMLElement> {
  readonly ref?: Ref<HTMLElement>;
}

export interface MenuProps {
  /** What opens it: an element that takes the attributes and the ref of a button. */
  readonly trigger: ReactElement<TriggerProps>;
  readonly side?: 'top' | 'bottom' | 'right';
  readonly align?: 'start' | 'end';
  /** What it lists may be read once it is opened. */
  readonly onOpen?: () => void;
  readonly children: ReactNode;
}

export interface MenuChoiceProps<Value extends string> {
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChange: (value: Value) => void;
}

export interface MenuCheckProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}
