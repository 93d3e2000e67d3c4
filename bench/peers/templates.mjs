// Handlebars on node, on the prompt: templates.mjs TASK.json NODE_MODULES prints its figures as JSON.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
const Handlebars = createRequire(process.argv[3] + '/_')('handlebars').create();
const { source, values, wanted } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const template = Handlebars.compile(source, { noEscape: true });
if (template(values) !== wanted) throw new Error('handlebars fills the prompt with something else');

function best(task, times) {
  for (let count = 0; count < times; count++) task();
  let least = Infinity;
  for (let round = 0; round < 11; round++) {
    const began = process.hrtime.bigint();
    for (let count = 0; count < times; count++) task();
    least = Math.min(least, Number(process.hrtime.bigint() - began) / times / 1e9);
  }
  return least;
}

const again = best(() => template(values), 1000);
const first = best(() => Handlebars.compile(source, { noEscape: true })(values), 20);
console.log(JSON.stringify({ version: Handlebars.VERSION, again, first }));
