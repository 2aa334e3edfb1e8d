// Takes a picture of each page of the console, wide and narrow, light and dark, into docs/images/pages.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pagesOf } from './addresses.mjs';
import { demonstrationInPlace, FIXED_CLOCK, startServer } from './server.mjs';

const FOLDER = 'docs/images/pages';
/** The picture of the README. */
const FIRST = { page: 'rollout', path: 'docs/images/rollout.png' };
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
const QUALITY = 60;
const LIMIT_MS = 60_000;
const SETTLED_MS = 400;

/**
 * Takes all of them anew, or only those that are named.
 * @param {import('playwright-core').Browser} browser
 * @param {readonly string[]} named
 */
export async function takePages(browser, named) {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of named.length === 0 ? readdirSync(FOLDER) : []) rmSync(path.join(FOLDER, file));
  const server = await startServer();
  try {
    const context = await newContext(browser);
    const page = await context.newPage();
    const { origin } = new URL(server.address);
    await page.goto(server.address);
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    const made = await demonstrationInPlace({ request: context.request, origin });
    const pages = pagesOf(made).filter(({ name }) => named.length === 0 || named.includes(name));
    for (const { name, address } of pages.filter((each) => each.name !== 'sign-in')) await take(page, { name, url: `${origin}${address}` });
    const stranger = await (await newContext(browser)).newPage();
    for (const { name, address } of pages.filter((each) => each.name === 'sign-in'))
      await take(stranger, { name, url: `${origin}${address}` });
  } finally {
    await server.end();
  }
  const files = readdirSync(FOLDER).map((file) => statSync(path.join(FOLDER, file)).size);
  console.log(`${files.length} pictures in ${FOLDER}, ${Math.round(files.reduce((sum, size) => sum + size, 0) / 1024)} kB`);
}

/** A window whose clock, zone and language are the same everywhere. */
async function newContext(browser) {
  const context = await browser.newContext({ viewport: WIDE, timezoneId: 'UTC', locale: 'en-US', reducedMotion: 'reduce' });
  context.setDefaultTimeout(LIMIT_MS);
  await context.addInitScript(FIXED_CLOCK);
  return context;
}

async function take(page, { name, url }) {
  const session = await page.context().newCDPSession(page);
  for (const [width, viewport] of [
    [1440, WIDE],
    [390, NARROW],
  ]) {
    await page.setViewportSize(viewport);
    await page.goto(url);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await settle(page);
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
      writeFileSync(path.join(FOLDER, `${name}-${width}-${colorScheme}.webp`), Buffer.from(data, 'base64'));
      if (name === FIRST.page && width === 1440 && colorScheme === 'light') await page.screenshot({ path: FIRST.path });
    }
  }
  await session.detach();
}

/** The lines of a graph come after its nodes; on a narrow page it begins below. */
async function showGraph(page) {
  await page.locator('.react-flow__viewport path').first().waitFor({ state: 'attached' });
  await page.locator('.react-flow').evaluate((graph) => graph.scrollIntoView({ block: 'end' }));
}

/** Everything is read and drawn, in the font of the console. */
async function settle(page) {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .animate-shimmer') === null);
  if (page.url().includes('view=graph')) await showGraph(page);
  await page.waitForTimeout(SETTLED_MS);
  const hasFont = await page.evaluate(() =>
    document.fonts.ready.then((fonts) => [...fonts].some(({ family, status }) => /geist/i.test(family) && status === 'loaded')),
  );
  if (!hasFont) throw new Error(`${page.url()} is not drawn in the font of the console`);
}
