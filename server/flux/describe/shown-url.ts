/** An address as it is shown: without a password, and without a user where a user may be a token. */
export function shownUrl(url: string): string {
  return url.replace(/^((?:https?|oci):\/\/)[^/@]*@/i, '$1').replace(/^([a-z][a-z0-9+.-]*:\/\/[^/:@]*):[^/@]*@/i, '$1@');
}
