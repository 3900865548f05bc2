/** Where a step stands in its flow. */
import type { Step } from './shape.js';

/** [error-30] to [error-34]: the elements from the root to the step; roots, and the two halves of a section, have none. */
export function pathOf(step: Step): string {
  return elementsOf(step).join('/');
}

export function elementsOf(step: Step): string[] {
  const elements: string[] = [];
  for (let frame: Step | undefined = step; frame !== undefined; frame = frame.parent) {
    if (frame.kind !== 'root' && frame.kind !== 'lock' && !frame.hidden)
      elements.unshift(frame.element);
  }
  return elements;
}
