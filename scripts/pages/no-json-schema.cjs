/** What zod makes JSON schemas with, for pages: they check answers only, and are sent no kilobytes that they never run (record 0158). */
module.exports = function noJsonSchema(source) {
  const names = [...source.matchAll(/^export (?:const|function) (\w+)|^export \{ \w+ as (\w+) \}/gm)].map(
    ([, own, renamed]) => own ?? renamed,
  );
  const exported = names.map((name) => `absent as ${name}`).join(', ');
  return `const absent = () => { throw new Error('pages make no JSON schemas'); };\nexport { ${exported} };\n`;
};
