/** The choice of light or dark. It lives in a cookie, so that the server paints the right one and nothing flashes. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Where the chosen theme is kept, so that the first paint has it. */
export const THEME_COOKIE = 'slipway_theme';
const YEAR_S = 31_536_000;

/** Reads the cookie's value; anything else is `system`. */
export function parseTheme(text: string | undefined): Theme {
  return THEMES.find((theme) => theme === text) ?? 'system';
}

/** Class of the root element for a theme; `system` leaves the choice to the browser. */
export function themeClass(theme: Theme): string {
  return theme === 'system' ? '' : theme;
}

/** Shows a theme at once and remembers it. */
export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  root.classList.remove('light', 'dark');
  if (theme !== 'system') root.classList.add(theme);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
