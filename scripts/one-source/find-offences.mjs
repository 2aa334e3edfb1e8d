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
