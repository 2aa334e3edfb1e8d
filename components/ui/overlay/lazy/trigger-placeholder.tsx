import type { HTMLAttributes, Ref } from 'react';
import { useLayoutEffect } from 'react';

export type TriggerProps = HTMLAttributes<HTMLElement>;

interface TriggerPlaceholderProps extends TriggerProps {
  readonly element: HTMLElement;
  /** Is given what would have been put on the element. */
  readonly onHanded?: (handed: TriggerProps) => void;
  readonly ref?: Ref<HTMLElement>;
}

/** Stands where an overlay's library wants its trigger, for an element that was on the page before the library: that stays, with its focus. */
export function TriggerPlaceholder({ element, onHanded, ref, ...handed }: TriggerPlaceholderProps) {
  useLayoutEffect(() => onHanded?.(handed));
  useLayoutEffect(() => {
    if (typeof ref === 'function') {
      const end = ref(element);
      return typeof end === 'function' ? end : () => void ref(null);
    }
    if (ref) ref.current = element;
    return undefined;
  }, [element, ref]);
  return null;
}
