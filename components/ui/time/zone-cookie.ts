import { getOwnZone } from '@/lib/words/times';

/** Where the zone of a browser is kept, so that the server paints times as the browser would. */
export const ZONE_COOKIE = 'slipway_zone';
const YEAR_S = 31_536_000;

/** Keeps the zone of this browser for the pages that are loaded from now on; the one that is open keeps the zone that it came with. */
export function rememberZone(): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
  document.cookie = `${ZONE_COOKIE}=${getOwnZone()}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
