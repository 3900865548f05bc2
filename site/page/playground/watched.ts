// What programs of the playground import as `steptree`: the package, whose tools say what their flows do.

import {
  AsyncTool as PlainTool,
  type ToolOptions,
  defaultTool,
  VirtualTool as PlainVirtual,
  type VirtualToolOptions,
} from 'steptree';
import { watch } from './moments.js';

export * from 'steptree';

watch(defaultTool);

export class AsyncTool extends PlainTool {
  constructor(options?: ToolOptions) {
    super(options);
    watch(this);
  }
}

export class VirtualTool extends PlainVirtual {
  constructor(options?: VirtualToolOptions) {
    super(options);
    watch(this);
  }
}
