/** The colours of the chart, on light and on dark ground. */

export type Theme = 'light' | 'dark';

export interface Colours {
  readonly ground: string;
  readonly text: string;
  readonly faint: string;
  /** steptree, and another kind of flow of it. */
  readonly own: readonly [string, string];
  readonly peers: readonly string[];
}

export const colours: Readonly<Record<Theme, Colours>> = {
  light: {
    ground: '#ffffff',
    text: '#1f2328',
    faint: '#d1d9e0',
    own: ['#0969da', '#54aeff'],
    peers: [
      '#bc4c00',
      '#e2c08d',
      '#8250df',
      '#1a7f37',
      '#7bc98b',
      '#bf3989',
      '#9a6700',
      '#6e7781',
      '#afb8c1',
    ],
  },
  dark: {
    ground: '#0d1117',
    text: '#e6edf3',
    faint: '#30363d',
    own: ['#58a6ff', '#1f6feb'],
    peers: [
      '#f0883e',
      '#7d5d34',
      '#bc8cff',
      '#56d364',
      '#2e7d44',
      '#f778ba',
      '#d29922',
      '#8b949e',
      '#484f58',
    ],
  },
};
