/** An element that had the focus, and what it stands in, from the inside out. */
export type FocusPlace = readonly Element[];

/** What is read as one thing, so that whoever lands there hears where they are; a line of a list where it says so itself. */
const LANDINGS = '[data-landing],fieldset,section,[role=group],[role=region],[role=dialog],main';

/** Where the focus is now; empty where nothing has it. */
export function readFocusPlace(): FocusPlace {
  return typeof document === 'undefined' || isNowhere(document.activeElement) ? [] : placeOf(document.activeElement);
}

export function placeOf(element: Element | null): FocusPlace {
  const path: Element[] = [];
  for (let at = element; at !== null && at !== document.body; at = at.parentElement) path.push(at);
  return path;
}

/** True where no element of the page has the focus: it falls to the body when the element that had it goes away. */
export function isNowhere(element: Element | null): boolean {
  return element === null || element === document.body || element === document.documentElement;
}

/** Gives the focus to the element that had it, or where that is gone to the nearest that stays: its line, its group, its panel, the title of its dialog or page. */
export function focusAt([element, ...around]: FocusPlace): void {
  if (element instanceof HTMLElement && element.isConnected) {
    element.focus();
    return;
  }
  const landing = around.find(({ isConnected }) => isConnected)?.closest<HTMLElement>(LANDINGS);
  if (landing) land(landing.querySelector<HTMLElement>(landing.matches('main') ? 'h1' : '[data-title]') ?? landing);
}

/** It takes the focus this once, and is no stop of the keyboard afterwards. */
function land(element: HTMLElement): void {
  if (!element.hasAttribute('tabindex')) {
    element.tabIndex = -1;
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  }
  element.focus({ preventScroll: true });
}
