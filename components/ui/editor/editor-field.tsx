'use client';

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { autocompletion, completionKeymap, startCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'react';
import type { WrittenProblem } from '@/lib/contract/change-rows';
import { HIDDEN } from '@/lib/std/text/hidden-characters';
import { t } from '@/lib/words/catalogue/console/ui';
import { showHidden } from '@/lib/words/show-hidden';
import { keyAt, placeAt } from './editor-outline';
import type { Schema, Suggestion } from './editor-schema';
import { helpOf, suggest } from './editor-schema';
import { editorTheme } from './editor-theme';

export interface EditorFieldProps {
  readonly label: string;
  /** What the field starts with; later changes of it put the text anew. */
  readonly text: string;
  readonly schema: Schema | undefined;
  readonly problems?: readonly WrittenProblem[];
  readonly describedBy: string;
  readonly onText: (text: string) => void;
  /** Line and column of the cursor, from 0. */
  readonly onCursor: (line: number, column: number) => void;
  /** Where the cursor is asked to go; counts up so that the same place can be asked for again. */
  readonly goTo: { readonly line: number; readonly column: number; readonly asked: number } | null;
}

const NO_PROBLEMS: readonly WrittenProblem[] = [];

/** The text of an application, with completion and help from the schema and marks where something is wrong. Loaded on its own page only. */
export function EditorField({ label, text, schema, problems = NO_PROBLEMS, describedBy, onText, onCursor, goTo }: EditorFieldProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const held = useRef({ schema, onText, onCursor });
  useEffect(() => {
    held.current = { schema, onText, onCursor };
  });
  const [start] = useState({ text, label, describedBy });
  useEffect(() => {
    if (host.current === null) return;
    const made = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: start.text,
        extensions: [...LOOK, ...attributes(start.label, start.describedBy), ...help(() => held.current.schema), reports(held)],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [start]);
  useEffect(() => {
    const made = view.current;
    if (made !== null && made.state.doc.toString() !== text)
      made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const made = view.current;
    if (made !== null) made.dispatch(setDiagnostics(made.state, toDiagnostics(made.state, problems)));
  }, [problems]);
  useEffect(() => {
    const made = view.current;
    if (made === null || goTo === null) return;
    made.dispatch({ selection: { anchor: offsetOf(made.state, goTo.line, goTo.column) }, scrollIntoView: true });
    made.focus();
  }, [goTo]);
  // The editor may measure its lines before its own styles count: those of the text stand here, the padding in globals.css, or numbers leave their lines.
  return <div ref={host} className="editor h-[max(18rem,calc(100dvh-19rem))] overflow-hidden text-[12px] leading-[18px]" />;
}

/** Style sheets that come by script need the page's nonce. */
function readNonce(): string {
  return document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
}

/** The text stays as it is; invisible characters look like their escapes. */
const hiddenSigns = highlightSpecialChars({
  addSpecialChars: HIDDEN,
  render(code) {
    const mark = document.createElement('span');
    mark.textContent = showHidden(String.fromCodePoint(code));
    mark.className = 'rounded-sm bg-bad-soft text-bad';
    return mark;
  },
});

/**
 * Text typed over a selection of several lines. Left to itself, Chromium puts the lines together in the page before the editor reads them, with style
 * attributes that the content security policy refuses.
 */
const typedOverLines = EditorView.domEventHandlers({
  beforeinput({ inputType, data, cancelable }, view) {
    if (inputType !== 'insertText' || data === null || !cancelable || view.composing) return false;
    const { from, to } = view.state.selection.main;
    if (view.state.doc.lineAt(from).to >= to) return false;
    view.dispatch({ ...view.state.replaceSelection(data), userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

const LOOK: readonly Extension[] = [
  editorTheme,
  hiddenSigns,
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of('  '),
  bracketMatching(),
  yaml(),
  syntaxHighlighting(classHighlighter),
  lintGutter(),
  typedOverLines,
  keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
];

function attributes(label: string, describedBy: string): readonly Extension[] {
  return [
    EditorView.cspNonce.of(readNonce()),
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-label': label,
      'aria-describedby': describedBy,
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
  ];
}

function help(schema: () => Schema | undefined): readonly Extension[] {
  return [
    autocompletion({ override: [(context) => complete(context, schema())], icons: false }),
    hoverTooltip((view, position) => {
      const line = view.state.doc.lineAt(position);
      const root = schema();
      const node = root && keyAt(view.state.doc.toString(), line.number - 1, position - line.from);
      const found = root && node && helpOf(root, node);
      if (!found) return null;
      const from = line.from + node.column;
      return {
        pos: from,
        end: from + node.name.length,
        above: true,
        create: () => ({ dom: toBubble(found.name, found.takes, found.text) }),
      };
    }),
  ];
}

function toBubble(name: string, takes: string, text: string): HTMLElement {
  const bubble = document.createElement('div');
  const head = document.createElement('strong');
  head.textContent = `${name}: ${takes}`;
  const body = document.createElement('p');
  body.textContent = text;
  bubble.append(head, body);
  return bubble;
}

function complete(context: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  if (schema === undefined) return null;
  const line = context.state.doc.lineAt(context.pos);
  const place = placeAt(context.state.doc.toString(), line.number - 1, context.pos - line.from);
  if (place === null || (place.typed === '' && !context.explicit && !/(^|\s|-)$/.test(line.text))) return null;
  const suggestions = suggest(schema, place);
  // A list that stands over a word already whole would take the Enter that ends the line.
  const isWhole = (text: string) => suggestions.some(({ insert }) => insert === text);
  if (suggestions.length === 0 || isWhole(place.typed)) return null;
  return {
    from: line.from + place.column,
    options: suggestions.map(toCompletion),
    validFor: (text) => /^[\w-]*$/.test(text) && !isWhole(text),
  };
}

function toCompletion({ label, takes, help: info, required, insert }: Suggestion): Completion {
  const more = insert.endsWith(': ') ? { apply: applyAndAsk(insert) } : { apply: insert };
  return { label, detail: required ? t.required(takes) : takes, boost: required ? 1 : 0, ...(info ? { info } : {}), ...more };
}

/** After a key its values are offered at once. */
function applyAndAsk(insert: string) {
  return (view: EditorView, _completion: Completion, from: number, to: number) => {
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
    startCompletion(view);
  };
}

function reports(held: { readonly current: Pick<EditorFieldProps, 'onText' | 'onCursor'> }): Extension {
  return EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (docChanged) held.current.onText(state.doc.toString());
    if (!docChanged && !selectionSet) return;
    const { head } = state.selection.main;
    const line = state.doc.lineAt(head);
    held.current.onCursor(line.number - 1, head - line.from);
  });
}

function offsetOf(state: EditorState, line: number, column: number): number {
  const at = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  return Math.min(at.from + Math.max(column, 1) - 1, at.to);
}

function toDiagnostics(state: EditorState, problems: readonly WrittenProblem[]): Diagnostic[] {
  return problems.map(({ sentence, line, column, endLine, endColumn }) => {
    const from = offsetOf(state, line, column);
    return { from, to: Math.max(from, offsetOf(state, endLine, endColumn)), severity: 'error', message: sentence };
  });
}
