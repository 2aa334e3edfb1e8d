import { chromium } from 'playwright-core';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
const dir = mkdtempSync('/tmp/sh-');
const child = spawn(process.execPath, ['scripts/start.mjs','--port','0','--data-dir',dir], {env:{...process.env,NODE_ENV:'production',KUBECONFIG:''}, stdio:['ignore','pipe','inherit']});
const address = await new Promise(r => child.stdout.on('data', d => { const m = String(d).match(/https?:\/\/\S+/); if (m) r(m[0]); }));
const origin = new URL(address).origin;
const browser = await chromium.launch({ executablePath: process.env.SLIPWAY_CHROMIUM, args: ['--headless','--no-sandbox','--disable-gpu'] });
await new Promise(r => setTimeout(r, 45000));
const faults = [];
const open = async (w,h,dark) => { const c = await browser.newContext({ viewport:{width:w,height:h}, colorScheme: dark?'dark':'light' }); const p = await c.newPage(); p.on('console', m => { if (['error','warning'].includes(m.type())) faults.push(`${w} ${dark} ${m.text()} ${m.location().url}`); }); p.on('pageerror', e => faults.push(`${w} ${dark} page ${e.message}`)); return p; };
const wide = await open(1440,900,true);
await wide.goto(address); await wide.getByRole('heading',{name:'Inbox',level:1}).waitFor({timeout:60000});
const link = async () => { const a = await wide.context().request.post(`${origin}/api/v1/session/links`, { data:{role:'operator'}, headers:{origin} }); return (await a.json()).url; };
const narrow = await open(390,844,true); await narrow.goto(await link()); await narrow.getByRole('heading',{name:'Inbox',level:1}).waitFor({timeout:60000});
const paths = (process.argv[2] ?? '/,/releases,/rollouts,/applications,/engine,/activity,/history,/trackers,/sessions').split(',');
for (const p of paths) for (const [n,page] of [['w',wide],['n',narrow]]) { await page.goto(origin+p); await page.waitForTimeout(2500); await page.screenshot({ path: `/tmp/shots/${n}${p.replaceAll('/','_')}.png` }); }
const links = await wide.evaluate(() => 1);
await wide.goto(origin+'/rollouts'); await wide.waitForTimeout(2000);
const hrefs = await wide.$$eval('a[href^="/rollouts/"]', as => as.map(a => a.getAttribute('href')));
await wide.goto(origin+'/releases'); await wide.waitForTimeout(2000);
const rels = await wide.$$eval('a[href^="/releases/"]', as => as.map(a => a.getAttribute('href')));
console.log(hrefs.slice(0,4), rels.slice(0,6));
for (const [k,h] of [['rollout',hrefs.find(x=>x.split('/').length===4)],['release',rels.find(x=>x.split('/').length>=4)]]) if (h) for (const [n,page] of [['w',wide],['n',narrow]]) { await page.goto(origin+h); await page.waitForTimeout(2500); await page.screenshot({ path:`/tmp/shots/${n}_${k}.png`, fullPage: k==='release' }); }
console.log('faults', faults);
await browser.close(); child.kill('SIGTERM'); child.on('exit', () => rmSync(dir,{recursive:true,force:true}));
