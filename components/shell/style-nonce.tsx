'use client';

/**
 * Dialogs lock the page's scrolling with a style sheet of their own; the policy lets it in by this nonce, which their library looks for
 * under a global name. It must be there before the first dialog opens.
 */
export function StyleNonce({ nonce }: { readonly nonce: string }) {
  if (typeof window !== 'undefined') (window as { __webpack_nonce__?: string }).__webpack_nonce__ ??= nonce || readNonce();
  return null;
}

/** Browsers hide the attribute from scripts' selectors but not from the property. */
function readNonce(): string {
  return document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
}
