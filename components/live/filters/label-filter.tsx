import type { KeyboardEvent } from 'react';
import { useId, useState } from 'react';
import { asSentence } from '@/components/ui/as-sentence';
import { cx } from '@/components/ui/cx';
import type { Facets } from '@/lib/contract/lists/facets';
import { refuseSelector } from '@/lib/kube/labels/refuse-selector';
import { t } from '@/lib/words/catalogue/console/filters';

export interface LabelFilterProps {
  /** Adds what was typed to the selector. */
  readonly onAdd: (selector: string) => void;
  /** Labels that there are, to choose from. */
  readonly known?: Facets['labels'];
  /** Somebody is about to type. */
  readonly onTyping?: () => void;
}

/** A label selector, as kubectl takes it; added by Enter or when the field is left, since half of one is refused. */
export function LabelFilter({ onAdd, known = [], onTyping }: LabelFilterProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const add = () => {
    const text = typed.trim();
    const why = text === '' ? null : refuseSelector(text);
    setWrong(why);
    if (text === '' || why !== null) return;
    setTyped('');
    onAdd(text);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <div className="w-full sm:max-w-56 sm:flex-[1_1_9rem]">
      <input
        aria-label={t.labelSelector}
        aria-invalid={wrong === null ? undefined : true}
        aria-describedby={wrong === null ? undefined : `${id}-wrong`}
        list={`${id}-known`}
        autoComplete="off"
        spellCheck={false}
        placeholder={t.addALabel}
        value={typed}
        onFocus={onTyping}
        onChange={(event) => {
          setTyped(event.target.value);
          setWrong(null);
        }}
        onBlur={add}
        onKeyDown={press}
        className={cx(
          'h-7 w-full rounded-md border bg-panel px-2 text-ink text-xs placeholder:text-ink-3 focus-visible:outline-offset-0',
          wrong === null ? 'border-line-strong' : 'border-bad',
        )}
      />
      <datalist id={`${id}-known`}>
        {known.flatMap(({ key, values }) => values.map((value) => <option key={`${key}=${value}`} value={`${key}=${value}`} />))}
      </datalist>
      {wrong === null ? null : (
        <p id={`${id}-wrong`} role="alert" className="mt-1 text-bad text-xs wrap-anywhere">
          {asSentence(wrong)}
        </p>
      )}
    </div>
  );
}
