import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

const TEXT = { fontFamily: 'var(--font-mono)', fontSize: '12px', lineHeight: '18px' };
const FLOAT = {
  backgroundColor: 'var(--color-raised)',
  color: 'var(--color-ink)',
  border: '1px solid var(--color-line-strong)',
  borderRadius: '8px',
  boxShadow: 'var(--shadow-float)',
};

/** The editor in the colours of the console, which follow light and dark by themselves. */
export const editorTheme: Extension = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'transparent', color: 'var(--color-ink)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '-2px' },
  '.cm-scroller': { ...TEXT, overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--color-ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--color-ink-3)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 8px 0 4px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, var(--color-pressed) 50%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--color-accent-soft)',
  },
  '.cm-tooltip': FLOAT,
  '.cm-tooltip.cm-tooltip-hover': { padding: '8px 12px', maxWidth: '360px', fontSize: '12px', lineHeight: '17px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { ...TEXT, maxHeight: '260px', padding: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', borderRadius: '5px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--color-accent-fill)', color: 'white' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--color-ink-3)', marginLeft: '12px' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit', opacity: '0.8' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 10px', maxWidth: '320px', fontSize: '12px', lineHeight: '17px' },
  '.cm-diagnostic': { padding: '6px 10px', fontSize: '12px', lineHeight: '17px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--color-bad)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--color-bad)', textUnderlineOffset: '3px' },
  '.cm-lint-marker-error': {
    content: '""',
    width: '8px',
    height: '8px',
    marginTop: '5px',
    borderRadius: '2px',
    backgroundColor: 'var(--color-bad-fill)',
  },
  '.cm-gutter-lint': { width: '14px' },
  '.tok-propertyName': { color: 'var(--color-accent)' },
  '.tok-string, .tok-string2': { color: 'var(--color-good)' },
  '.tok-number, .tok-bool, .tok-keyword': { color: 'var(--color-odd)' },
  '.tok-comment': { color: 'var(--color-ink-3)', fontStyle: 'italic' },
  '.tok-punctuation, .tok-meta': { color: 'var(--color-ink-3)' },
});
