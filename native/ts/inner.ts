// A native step as observers know it.

import type { Known } from './engine.js';

export class Inner implements Known {
  /** 0: it wasn't told. */
  number = 0;
  readonly step = null;
  readonly mark = '';
  readonly element: string;
  readonly kind: string;
  /** Null: it's right inside of JavaScript's step. */
  readonly around: Inner | null;
  private readonly outer: { path: string; number: number };

  constructor(
    element: string,
    kind: string,
    around: Inner | null,
    outer: { path: string; number: number },
  ) {
    this.element = element;
    this.kind = kind;
    this.around = around;
    this.outer = outer;
  }

  get name(): string {
    return this.element;
  }

  get parent(): number {
    return (this.around ?? this.outer).number;
  }

  get path(): string {
    const elements: string[] = [];
    for (let at: Inner | null = this; at !== null; at = at.around) elements.push(at.element);
    return [this.outer.path, ...elements.reverse()].join('/');
  }

  /** As it is now, for later. */
  copy(): Inner {
    return Object.assign(new Inner(this.element, this.kind, this.around, this.outer), this);
  }
}
