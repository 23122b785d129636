// npm run console:build     builds the console's page into services/console/assets/generated, unless it is built already
import path from 'node:path';
import { buildConsole } from './build-console.ts';

const { folder, isNew } = await buildConsole();
console.log(`${path.relative('.', folder)}: ${isNew ? 'built' : 'nothing has changed'}`);
