import { join } from 'node:path';
import { serviceSuite } from './suite.js';

const root = join(import.meta.dirname, '../..');
const js = join(root, 'js/examples/service/service.mjs');

serviceSuite('JavaScript', [process.execPath, '--import', 'tsx', js]);
serviceSuite('C++', [join(root, 'build/dev/cpp/examples/service/service')]);
