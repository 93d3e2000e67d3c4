// Handlebars itself as a judge: a JSON list of [template, values] on stdin, a list of {is} or {error} on stdout.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
const library = createRequire(process.argv[2] + '/_')('handlebars');
const Handlebars = library.create();

// Where Handlebars writes "a,b" and "[object Object]", rejoinder writes JSON, and that is meant.
function written(value) {
  if (value === null || typeof value !== 'object') return value;
  for (const key of Object.keys(value)) value[key] = written(value[key]);
  const text = JSON.stringify(value);
  Object.defineProperty(value, 'toString', { value: () => text, enumerable: false });
  return value;
}

// Unescaped slots are added up (1 + true is 2), so all are read as escaped, and escaping is switched off.
library.Utils.escapeExpression = (value) => (value === null || value === undefined ? '' : String(value));
function Escaping() {}
Escaping.prototype = new library.Visitor();
Escaping.prototype.MustacheStatement = (node) => {
  node.escaped = true;
};

const answers = JSON.parse(readFileSync(0, 'utf8')).map(([template, values]) => {
  try {
    const program = Handlebars.parse(template);
    new Escaping().accept(program);
    return { is: Handlebars.compile(program)(written(values)) };
  } catch (error) {
    return { error: String(error.message).split('\n')[0] };
  }
});
process.stdout.write(JSON.stringify(answers));
