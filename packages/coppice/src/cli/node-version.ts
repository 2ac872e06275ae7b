// Ends the process with one line if Node is too old. Imported before everything else; it must run on any Node since 14.

const needed = 24;
const found = process.versions.node;

if (Number(found.split('.')[0]) < needed) {
  console.error(
    `coppice needs Node ${needed} or newer, this is ${found}; install it from nodejs.org, or run npx -p node@${needed} coppice`,
  );
  process.exit(2);
}
