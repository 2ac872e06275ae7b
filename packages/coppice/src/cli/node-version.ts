// Ends the process with one line where Node is older than coppice needs. Imported before everything else, and itself only of what any Node
// since 14 reads; main.ts loads what needs a new Node (node:sqlite) only with a command.

const needed = 24;
const found = process.versions.node;

if (Number(found.split('.')[0]) < needed) {
  console.error(
    `coppice needs Node ${needed} or newer, this is ${found}; install it from nodejs.org, or run npx -p node@${needed} coppice`,
  );
  process.exit(2);
}
