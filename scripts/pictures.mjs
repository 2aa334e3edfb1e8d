// Takes the pictures of the project with Chromium. `node scripts/pictures.mjs` draws those in public/ from app/icon.svg: run it when the icon or the
// sentence changes. `node scripts/pictures.mjs pages` takes those in docs/images from the demonstration, as it is built: run it when pages change,
// with the names of some to take only these.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { takePages } from './pictures/pages.mjs';

const ICON = readFileSync('app/icon.svg', 'utf8');
const { description } = JSON.parse(readFileSync('package.json', 'utf8'));
const sized = (px) => ICON.replace('<svg ', `<svg width="${px}" height="${px}" style="display:block" `);
// Systems that round the corners themselves want the whole square filled.
const square = (px) => sized(px).replace(' rx="8"', '');
const SOCIAL = `<div style="width:1200px;height:630px;background:#0e0f12;color:#f2f3f5;font-family:'Geist Variable',system-ui,sans-serif;display:flex;
  flex-direction:column;justify-content:center;padding:0 96px;box-sizing:border-box">
  <div style="display:flex;align-items:center;gap:32px">${sized(120)}<span style="font-size:104px;font-weight:600;letter-spacing:-.03em">Slipway</span></div>
  <p style="font-size:44px;line-height:1.35;color:#b4b8c2;margin:48px 0 0;max-width:960px;text-wrap:balance">${description}</p></div>`;
const PICTURES = [
  ['public/icon-192.png', 192, 192, square(192)],
  ['public/icon-512.png', 512, 512, square(512)],
  ['public/apple-touch-icon.png', 180, 180, square(180)],
  ['public/social.png', 1200, 630, SOCIAL],
];
const font = readFileSync('node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2', 'base64');
const face = `@font-face{font-family:'Geist Variable';font-weight:100 900;src:url(data:font/woff2;base64,${font})}`;

const browser = await chromium.launch({ executablePath: (await findChromium()).path, args: ['--no-sandbox'] });
try {
  if (process.argv[2] === 'pages') await takePages(browser, process.argv.slice(3));
  else await drawIcons();
} finally {
  await browser.close();
}

async function drawIcons() {
  for (const [path, width, height, body] of PICTURES) {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.setContent(`<style>${face} body{margin:0}</style>${body}`);
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path });
    await page.close();
  }
}
