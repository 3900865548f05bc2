import { jsServer } from './servers.js';
import { respSuite } from './suite/all.js';

respSuite(jsServer);
