/** Where a rule's sign stands outside of its home, comments aside: `[file, line, text]`. */
export function findOffences({ sign, home }, files) {
  return files
    .filter(({ file }) => !home.test(file))
    .flatMap(({ file, text }) =>
      withoutComments(text)
        .split('\n')
        .flatMap((line, at) => (sign.test(line) && !/^\s*import\b/.test(line) ? [[file, at + 1, line.trim()]] : [])),
    );
}

// Lines stay where they are, so that their numbers do.
function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/(^|[\s;{(])\/\/.*$/gm, '$1');
}

/** What breaks a rule, a line each: a sign without a licence, a licence without its sign, a licence without a reason. */
export function explainOffences(rule, files) {
  const { fact, instead, licensed = {} } = rule;
  const found = findOffences(rule, files);
  const unlicensed = found.filter(([file]) => licensed[file] === undefined);
  const needless = Object.keys(licensed).filter((file) => !found.some(([each]) => each === file));
  const unexplained = Object.keys(licensed).filter((file) => licensed[file].length < 10);
  return [
    ...unlicensed.map(([file, line, text]) => `${file}:${line}: ${fact} is told by another room; ${instead}\n    ${text}`),
    ...needless.map((file) => `scripts/one-source/rules.mjs: ${file} no longer does this (${fact}); drop it from the list`),
    ...unexplained.map((file) => `scripts/one-source/rules.mjs: ${file} is licensed without a reason (${fact})`),
  ];
}
