import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { waitForHydration } from './hydrated';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const WAIT_MS = 60_000;
/** Where the browser of a run listens, for the workers that its tests run in. */
const SHARED = 'SLIPWAY_SHARED_BROWSER';
/** Half an hour off the servers' clock: a page that is painted by another one than its server's is a fault of the console. */
const ZONE = 'America/St_Johns';

/** A page of a person of their own, and what went wrong on it. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors, page errors and requests to other origins since the start. */
  readonly faults: readonly string[];
}

interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** Runs in every page before anything of the page does. */
  readonly script?: string;
}

/** Windows whose visits watch for faults; disposing closes them, and ends the browser where it is their own. */
export interface Visitors extends AsyncDisposable {
  visit(address: string, options?: VisitOptions): Promise<Visit>;
}

const launchOptions = () => ({ executablePath: process.env.SLIPWAY_CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });

/** Starts the Chromium that the test command found, for every file of a run; answers how it is ended. */
export async function shareBrowser(): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ ...launchOptions(), host: '127.0.0.1' });
  process.env[SHARED] = server.wsEndpoint();
  return () => server.close();
}

/** Opens windows in the Chromium that the run shares, else starts one. */
export async function startBrowser(): Promise<Visitors> {
  const shared = process.env[SHARED];
  const browser: Browser = await (shared === undefined ? chromium.launch(launchOptions()) : chromium.connect(shared));
  return {
    async visit(address, { width = 1440, height = 900, dark = false, script } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        timezoneId: ZONE,
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(WAIT_MS);
      if (script !== undefined) await context.addInitScript(script);
      const page = await context.newPage();
      waitForHydration(page);
      const faults: string[] = [];
      const { origin } = new URL(address);
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith(origin.replace('http', 'ws')))
          faults.push(`elsewhere: ${url}`);
      });
      await page.goto(address);
      return { page, context, faults };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
    },
  };
}
