// npm run helm [-- 3]: puts a Helm into .tools, where the server finds it, and says where it came from. Major 4 unless told.
import { installHelm } from './helm-binary.mjs';

const major = process.argv[2] === undefined ? 4 : Number(process.argv[2]);
if (major !== 3 && major !== 4) {
  console.error(`npm run helm wants 3 or 4, found ${process.argv[2]}`);
  process.exit(2);
}
try {
  const { path, from } = await installHelm(major);
  console.log(`Helm is in ${path} (from ${from})`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
