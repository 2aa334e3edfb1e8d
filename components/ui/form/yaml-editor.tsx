'use client';

import type { KeyboardEvent } from 'react';
import { YamlText } from '../data/yaml-text';

export interface YamlEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

const LETTERS = 'col-start-1 row-start-1 whitespace-pre p-3 font-mono text-xs leading-[18px]';

/**
 * YAML to write: the platform's own text field over the same text in colours, letter upon letter. So undo, search and the keyboard
 * are the platform's, Tab leaves the field, and no editor has to be loaded.
 */
export function YamlEditor({ label, value, onChange }: YamlEditorProps) {
  return (
    <div className="h-[46dvh] overflow-auto rounded-md border border-line-strong bg-panel focus-within:outline-2 focus-within:outline-accent">
      <div className="grid min-h-full w-max min-w-full">
        <pre aria-hidden="true" className={LETTERS}>
          {value.split('\n').map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
            <div key={at} className="min-h-[18px]">
              <YamlText line={line} />
            </div>
          ))}
        </pre>
        <textarea
          aria-label={label}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={keepIndent}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          wrap="off"
          className={`${LETTERS} resize-none overflow-hidden bg-transparent text-transparent caret-ink outline-none`}
        />
      </div>
    </div>
  );
}

/** A new line starts where the one before did. */
function keepIndent(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.metaKey || event.ctrlKey) return;
  const { value, selectionStart } = event.currentTarget;
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart);
  const indent = /^\s*(?:- )?/.exec(line)?.[0].replace('- ', '  ') ?? '';
  if (indent === '') return;
  event.preventDefault();
  // The only way to insert that the platform's undo knows of.
  document.execCommand('insertText', false, `\n${indent}`);
}
