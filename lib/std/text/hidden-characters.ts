/** Signs that nobody sees, and those that move what follows to another place. The one list of them, also for what is built upon it. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Signs that nobody sees, or that turn the direction of what follows: with them a name looks like another one, and a reason says what it does not.
 * Line ends and tabs stay; so do the selectors by which emoji choose their look, behind an emoji or in a key.
 */
export const HIDDEN = new RegExp(
  String.raw`(?![\n\r\t])(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])(?!(?<=[0-9#*])\ufe0f\u20e3)${UNSEEN.source}`,
  UNSEEN.flags,
);
/** What moves to another line or place. */
const MOVING = /[\n\r\t]/g;

const NAMES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with what moves to another line or place as its escape, such as `\n`. */
export function escapeMoves(text: string): string {
  return text.replace(MOVING, (sign) => NAMES[sign] ?? sign);
}

const ESCAPES = /(?:\\u[0-9a-f]{4})+/g;

/** A hidden sign as its escape, such as `\u202e`. */
export function escapeCharacter(sign: string): string {
  return Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}

/** The name that was shown with escapes in place of its hidden signs, as the cluster knows it: for links and requests. */
export function readEscapedName(shown: string): string {
  return shown.replace(ESCAPES, (escapes) => {
    const signs = escapes.replace(/\\u(.{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    return signs.replace(HIDDEN, '') === '' ? signs : escapes;
  });
}
