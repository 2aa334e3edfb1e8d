'use client';

import { t } from '@/lib/words/catalogue/console/ui';
import { Panel } from '../panel';
import { keyAt, placeAt } from './editor-outline';
import type { Schema, Suggestion } from './editor-schema';
import { helpOf, suggest, suggestKeys } from './editor-schema';

export interface EditorHelpProps {
  readonly schema: Schema | undefined;
  readonly text: string;
  /** Line and column of the cursor, from 0. */
  readonly line: number;
  readonly column: number;
}

/** What stands at the cursor and what may be written there: the same help as completion and hover, for everybody to read. */
export function EditorHelp({ schema, text, line, column }: EditorHelpProps) {
  if (schema === undefined) return null;
  const node = keyAt(text, line, column);
  const help = node && helpOf(schema, node);
  const place = placeAt(text, line, column);
  const inside = node && suggestKeys(schema, node);
  const open = inside && inside.length > 0 ? inside : place === null ? [] : suggest(schema, place);
  return (
    <Panel title={help ? help.name : t.help} note={help?.takes}>
      <div className="space-y-2 px-4 py-3">
        <p className="text-ink-2">{help ? help.text : t.putTheCursorOnA}</p>
        {help?.fallback ? <p className="text-ink-3 text-xs">{t.default(help.fallback)}</p> : null}
      </div>
      {open.length > 0 ? <Open title={inside && inside.length > 0 ? t.fields : t.fieldsAtThisPlace} suggestions={open} /> : null}
    </Panel>
  );
}

function Open({ title, suggestions }: { readonly title: string; readonly suggestions: readonly Suggestion[] }) {
  return (
    <section aria-label={title} className="border-t">
      <h3 className="px-4 pt-2.5 pb-1 font-medium text-ink-3 text-xs">{title}</h3>
      <dl tabIndex={0} className="focus-inset max-h-[40dvh] divide-y overflow-y-auto">
        {suggestions.map(({ label, takes, help, required }) => (
          <div key={label} className="px-4 py-1.5">
            <dt className="flex flex-wrap items-baseline gap-x-2 font-medium">
              {label}
              <span className="font-normal text-2xs text-ink-3">
                {takes}
                {required ? t.requiredAfter : ''}
              </span>
            </dt>
            {help ? <dd className="text-ink-3 text-xs">{help}</dd> : null}
          </div>
        ))}
      </dl>
    </section>
  );
}
