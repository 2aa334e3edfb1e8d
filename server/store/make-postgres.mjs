// Makes an empty database of the embedded Postgres in a folder (arguments: the folder, settings as JSON). Making one takes seconds of computing,
// during which the server's thread would answer nobody, and a hundred megabytes, which its process would keep: so this is a process of its own.
import { PGlite } from '@electric-sql/pglite';

const [dataDir, settings = '[]'] = process.argv.slice(2);
const database = await PGlite.create({ dataDir, startParams: [...PGlite.defaultStartParams, ...JSON.parse(settings)] });
await database.close();
