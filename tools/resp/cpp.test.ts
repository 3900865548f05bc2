import { cppServer } from './servers.js';
import { respSuite } from './suite/all.js';

respSuite(cppServer);
