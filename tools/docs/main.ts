// npm run docs:run                 every page: links hold, runnable commands run and print what the page says
// npm run docs:run -- README.md    only these pages
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { commandsOf } from './commands.ts';
import { insideDocsRun } from './config.ts';
import { brokenLinks, linksOf } from './links.ts';
import { runCommand } from './run-command.ts';

if (insideDocsRun) {
  console.error(
    'docs:run was started by a command of a page. Whatever runs the pages (docs:run, verify) is not marked runnable.',
  );
  process.exit(64);
}

// New files count before they are committed; ignored ones never do, since a clone does not have them.
const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const files = new Set(listed.split('\0').filter((file) => file !== '' && existsSync(file)));
const pages = new Map(
  [...files].filter((file) => file.endsWith('.md')).map((file) => [file, readFileSync(file, 'utf8')]),
);

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.filter((file) => !pages.has(file));
if (unknown.length > 0) {
  console.error(`no such page: ${unknown.join(', ')}`);
  process.exit(64);
}

let ran = 0;
let links = 0;
let red = 0;
for (const [file, markdown] of pages) {
  if (positionals.length > 0 && !positionals.includes(file)) continue;
  const { commands, problems } = commandsOf(markdown);
  links += linksOf(markdown).length;
  for (const problem of [...problems, ...brokenLinks({ file, markdown }, pages, files)]) {
    red += 1;
    console.log(`RED  ${file}:${problem.line}  ${problem.text}`);
  }
  for (const command of commands) {
    const startMs = performance.now();
    const result = await runCommand(command, process.cwd());
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    ran += 1;
    console.log(`${result.ok ? 'ok ' : 'RED'}  ${file}:${command.line}  ${firstLine(command.script)}  ${seconds} s`);
    if (result.ok) continue;
    red += 1;
    console.log(`     ${result.reason}\n${quoted(result.output)}`);
  }
}
console.log(`docs: ${pages.size} pages, ${links} links, ${ran} commands run, ${red} red`);
process.exitCode = red === 0 ? 0 : 1;

function firstLine(script: string): string {
  const [first = '', ...more] = script.trim().split('\n');
  return more.length === 0 ? first : `${first} …`;
}

function quoted(output: string): string {
  const lines = stripVTControlCharacters(output).trimEnd().split('\n');
  return lines
    .slice(-40)
    .map((line) => `     │ ${line}`)
    .join('\n');
}
