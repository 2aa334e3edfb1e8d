/** A figure of a server as its /metrics tell it. */
export async function metric(origin: string, name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const found = new RegExp(`^${name} (\\S+)`, 'm').exec(text);
  if (found === null) throw new Error(`the server tells no ${name}`);
  return Number(found[1]);
}
