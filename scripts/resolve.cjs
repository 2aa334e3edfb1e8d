// How imports are found, for tools that do not read tsconfig.json.
const path = require('node:path');

module.exports = { resolve: { alias: { '@': path.resolve(__dirname, '..') } } };
