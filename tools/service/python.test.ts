import { join } from 'node:path';
import { python } from '../resp/build.js';
import { serviceSuite } from './suite.js';

serviceSuite('Python', [
  python,
  join(import.meta.dirname, '../../python/examples/service/service.py'),
]);
