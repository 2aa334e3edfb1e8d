import { catalogue } from '../catalogue';

/** What the page says that the browser shows where the server does not answer. No page of the console is sent these. */
export const t = catalogue({
  title: 'Server does not answer · Slipway',
  heading: 'The server does not answer',
  noAnswerSince: <Time>(time: Time) => ['No answer since ', time, '. The server may be down, or your connection to it.'],
  opensByItself: <Path>(path: Path) => [path, ' opens as soon as the server answers.'],
  tryNow: 'Try now',
});
