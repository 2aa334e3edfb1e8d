import { t } from '@/lib/words/catalogue/browser/offline';

export const dynamic = 'force-dynamic';

/** The words of the page that `public/offline-worker.js` shows: a script, since a worker keeps only what it imports. What is no text is null there. */
export function GET(): Response {
  const words = {
    title: t.title,
    heading: t.heading,
    noAnswerSince: t.noAnswerSince(null),
    opensByItself: t.opensByItself(null),
    tryNow: t.tryNow,
  };
  return new Response(`self.WORDS = ${JSON.stringify(words)};\n`, {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
  });
}
