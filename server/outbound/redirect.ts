import { AppError } from '@/lib/contract/app-error';

/** Where to ask next, with what was given for that origin. */
export interface Step {
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly ca: string | undefined;
}

/** An http or https address without credentials in it; throws a sentence for anything else. */
export function readWebAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new AppError('invalid', 'an address must begin with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw new AppError('invalid', 'an address must not contain credentials: put them into a Secret');
  return url;
}

/** An address as it may stand in an error: what follows the path may be a token. */
export function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** What was given for one origin stays there, also when a later redirect leads back to it. */
export function nextStep({ url, authorization, ca }: Step, location: string): Step {
  const next = URL.canParse(location, url.href) ? readWebAddress(new URL(location, url.href).href) : undefined;
  if (next === undefined) throw new AppError('rejected', `${shownAddress(url)} redirects to something that is not an address`);
  if (url.protocol === 'https:' && next.protocol !== 'https:')
    throw new AppError('rejected', `${shownAddress(url)} redirects from https to http`);
  return next.origin === url.origin ? { url: next, authorization, ca } : { url: next, authorization: undefined, ca: undefined };
}
