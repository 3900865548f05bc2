// The last 30 seconds: flows that have begun, upwards, those that failed on top of it, and below how much of the time the loop was busy.

import type { Timeline } from '../js/src/imessages.js';
import { byId, setText } from './dom.js';
import { count, duration } from './words.js';

const FLOWS = 32;
const GAP = 4;

export class Chart {
  readonly #canvas = byId<HTMLCanvasElement>('timeline');
  readonly #caption = byId('now');
  #last: Timeline | undefined;
  /** Where the pointer is. */
  #at: number | undefined;

  constructor() {
    this.#canvas.addEventListener('pointermove', ({ offsetX }) => {
      this.#at = offsetX / this.#canvas.clientWidth;
      this.#say();
    });
    this.#canvas.addEventListener('pointerleave', () => {
      this.#at = undefined;
      this.#say();
    });
  }

  show(timeline: Timeline): void {
    this.#last = timeline;
    this.#draw(timeline);
    this.#say();
  }

  #draw({ begun, failed, busy, ms }: Timeline): void {
    const canvas = this.#canvas;
    const { clientWidth, clientHeight } = canvas;
    const scale = devicePixelRatio;
    canvas.width = clientWidth * scale;
    canvas.height = clientHeight * scale;
    const pen = canvas.getContext('2d')!;
    pen.scale(scale, scale);
    const style = getComputedStyle(canvas);
    const color = (name: string) => style.getPropertyValue(`--${name}`);
    const most = Math.max(1, ...begun, ...failed);
    const width = clientWidth / begun.length;
    const bars = (of: readonly number[], top: number, height: number, limit: number) => {
      for (const [i, value] of of.entries()) {
        if (value === 0) continue;
        const size = Math.max(1, (Math.min(value, limit) / limit) * height);
        pen.fillRect(i * width, top + height - size, Math.max(1, width - 1), size);
      }
    };
    pen.fillStyle = color('line');
    pen.fillRect(0, FLOWS, clientWidth, 1);
    pen.fillRect(0, clientHeight - 1, clientWidth, 1);
    pen.fillStyle = color('begun');
    bars(begun, 0, FLOWS, most);
    pen.fillStyle = color('failed');
    bars(failed, 0, FLOWS, most);
    pen.fillStyle = color('busy');
    bars(busy, FLOWS + GAP, clientHeight - FLOWS - GAP, ms);
  }

  /** Of where the pointer is, else of the last second. */
  #say(): void {
    const timeline = this.#last;
    if (timeline === undefined) return;
    const { begun, ended, failed, busy, longest, ms } = timeline;
    const all = begun.length;
    const isAt = this.#at !== undefined;
    const from = isAt ? Math.min(all - 1, Math.max(0, Math.floor(this.#at! * all))) : all - 5;
    const to = isAt ? from + 1 : all - 1;
    const seconds = ((to - from) * ms) / 1000;
    const rate = (of: readonly number[]) =>
      count(Math.round(of.slice(from, to).reduce((sum, n) => sum + n, 0) / seconds));
    const share = busy.slice(from, to).reduce((sum, n) => sum + n, 0) / (seconds * 10);
    const when = isAt ? `${((all - from) * ms) / 1000} s ago` : 'now';
    setText(
      this.#caption,
      [
        `${rate(begun)} begun/s, ${when}`,
        `${rate(ended)} ended, ${rate(failed)} failed`,
        `loop ${Math.round(share)} %, longest ${duration(Math.max(...longest.slice(from, to)))}`,
      ].join('\n'),
    );
  }
}
