/** What of a row takes the focus: its link, or whatever else can be pressed. */
const INSIDE = ':is(a[href],button,input)';

/** Rows that are shown: a table keeps its cards, and cards their table, for another width of the window. */
function shownRows(): readonly HTMLElement[] {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  return rows.filter((row) => row.checkVisibility?.() ?? true);
}

/** Moves the focus a row on or back; the first time to the first row. */
export function stepRow(step: 1 | -1): boolean {
  const rows = shownRows();
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const row = at < 0 ? rows[0] : rows[at + step];
  const target = row?.querySelector<HTMLElement>('a[href]') ?? row?.querySelector<HTMLElement>(INSIDE);
  target?.focus();
  return target !== undefined && target !== null;
}

/** Selects the row that has the focus, or takes it out again; false where nothing can be selected, or where the key presses what has the focus. */
export function selectRow(): boolean {
  const { activeElement } = document;
  const box = activeElement?.closest('[data-row]')?.querySelector<HTMLInputElement>('input[type=checkbox]');
  if (!box || activeElement?.matches(':is(button,input,select,textarea)')) return false;
  box.click();
  return true;
}
