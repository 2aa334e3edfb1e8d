import type { Page } from 'playwright-core';
import { until } from './until';

/** What is drawn by the editor and the terminal is not React's. */
const OF_OTHERS = '.cm-editor, .xterm';
const CONTROLS = 'a[href], button, input, select, textarea';

/** Waits until what a page was sent as text hears clicks and keys: before that, they are lost, and sooner or later one test in a hundred fails by it. */
export async function hydrated(page: Page): Promise<void> {
  await until('the page hears clicks', () => page.evaluate(isHydrated, { controls: CONTROLS, ofOthers: OF_OTHERS }).catch(() => false));
}

function isHydrated({ controls, ofOthers }: { readonly controls: string; readonly ofOthers: string }): boolean {
  if (document.readyState !== 'complete') return false;
  return [...document.querySelectorAll(controls)]
    .filter((element) => element.closest(ofOthers) === null)
    .every((element) => Object.keys(element).some((key) => key.startsWith('__reactProps$')));
}

/** Makes a page answer `goto` and `reload` once it hears clicks and keys. */
export function waitForHydration(page: Page): void {
  const goto = page.goto.bind(page);
  const reload = page.reload.bind(page);
  page.goto = async (...args) => {
    const answer = await goto(...args);
    await hydrated(page);
    return answer;
  };
  page.reload = async (...args) => {
    const answer = await reload(...args);
    await hydrated(page);
    return answer;
  };
}
