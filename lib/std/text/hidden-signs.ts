/**
 * Signs that nobody sees, or that turn the direction of what follows: with them a name looks like another one, and a reason says what it does not.
 * Line ends and tabs stay; so do the selectors by which emoji choose their look.
 */
export const HIDDEN = /(?![\n\r\t])(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)/gu;

const ESCAPES = /(?:\\u[0-9a-f]{4})+/g;

/** A hidden sign as its escape, such as `\u202e`. */
export function escapeSign(sign: string): string {
  return Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}

/** The name that was shown with escapes in place of its hidden signs, as the cluster knows it: for links and requests. */
export function readEscapedName(shown: string): string {
  return shown.replace(ESCAPES, (escapes) => {
    const signs = escapes.replace(/\\u(.{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    return signs.replace(HIDDEN, '') === '' ? signs : escapes;
  });
}
