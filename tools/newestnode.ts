/** Prints the path of the newest Node that npm carries, or of the newest 20, 22 or 24 if that is asked for, fetching it first if it isn't here. */
import { fetchNode } from './nodes.js';

console.log(fetchNode(process.argv[2]));
